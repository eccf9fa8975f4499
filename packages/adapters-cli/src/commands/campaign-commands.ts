import { type CampaignRecord, campaignRow } from '@campaign-mirror/domain/operator';
import * as parse from '../terminal/arguments.ts';
import { group, leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, jsonOf, printable } from '../terminal/errors.ts';
import { paged } from '../terminal/pages.ts';
import { confirmed } from '../terminal/prompt.ts';
import { type OperatorAccess, reading } from './ports.ts';
import { asked, campaignNamed, campaignRefused, ownerWarning } from './words.ts';

export function campaignCommands(call: Call, operator: OperatorAccess) {
  const create = leaf('create', 'create a campaign', [
    'campaign create --owner 42 --name Summer',
    'campaign create --owner 42 --default',
  ])
    .requiredOption('--owner <n>', 'the owner; required', parse.owner)
    .option('--default', "make it the owner's default campaign, whose mirror cannot be set")
    .option('--name <name>', 'a name for people', parse.name)
    .action(async ({ owner, default: isDefault = false, name }) => {
      const creation = await operator.acting(({ settings }) =>
        settings.createCampaign({ owner, isDefault, ...(name && { name }) }),
      );
      const { id } = creation;
      if (creation.kind !== 'created') throw campaignRefused(id, creation);
      await call.output.answer({ id }, `Campaign ${id} was created for the owner ${owner}.`);
    });

  const list = leaf('list', 'list campaigns by number, with the addresses of their mirrors', [
    'campaign list',
    'campaign list --owner 42 --limit 20',
    'campaign list --name summer',
    'campaign list --after 1000 --json',
  ])
    .option('--owner <n>', 'only those of this owner', parse.owner)
    .option('--name <text>', 'only those whose name contains this text, in upper or lower case', parse.name)
    .option('--limit <n>', 'maximum number to show; all by default', parse.limit)
    .option('--after <id>', 'only those after this one', parse.campaign)
    .action(async ({ owner, name, ...range }) => {
      await operator.acting(
        ({ records }) => {
          const rows = paged(call, range, (page) => records.list({ ...page, owner, name }));
          return call.output.list(rows, {
            columns: ['id', 'owner_id', 'is_default', 'created_at', 'name', 'mirror.target_url'],
            none: `There is no campaign${asked({ 'of the owner': owner, 'with the name': name })}.`,
          });
        },
        { ...reading, pace: 'in-steps' },
      );
    });

  const show = leaf('show', 'show a campaign and its mirror with all their fields', ['campaign show 42'])
    .argument('<campaign>', 'the campaign', parse.campaign)
    .action(async (id) => {
      const campaign = await operator.acting(({ records }) => records.find(id), reading);
      if (!campaign) throw campaignRefused(id, { kind: 'campaign-not-found' });
      if (call.output.json) return call.output.object(jsonOf(campaign));
      await call.output.fields(campaignRow(campaign));
    });

  const transfer = leaf(
    'transfer',
    'give a campaign to another owner; keys of the previous one no longer set its mirror',
    ['campaign transfer 7 --to 43'],
  )
    .argument('<campaign>', 'the campaign', parse.campaign)
    .requiredOption('--to <owner>', 'the new owner; required', parse.owner)
    .action(async (id, { to }) => {
      const { warning, result } = await operator.acting(async ({ settings, records }) => ({
        warning: await ownerWarning(records, to),
        result: await settings.transfer(id, to),
      }));
      if (result.kind === 'campaign-not-found' || result.kind === 'owner-has-default')
        throw campaignRefused(id, result);
      if (warning) await call.output.note(warning);
      const changed = result.kind === 'changed';
      const object = { id, owner_id: to, owner_id_before: result.ownerId, changed };
      const sentence = changed
        ? `Campaign ${id} belongs to the owner ${to} now; before, to the owner ${result.ownerId}.`
        : `Campaign ${id} belongs to the owner ${to} already: nothing was done.`;
      await call.output.answer(object, sentence);
    });

  const changeDefault = (name: string, description: string, isDefault: boolean) =>
    leaf(name, description, [`campaign ${name} 7`])
      .argument('<campaign>', 'the campaign', parse.campaign)
      .action(async (id) => {
        const result = await operator.acting(({ settings }) => settings.setDefault(id, isDefault));
        if (result.kind === 'campaign-not-found' || result.kind === 'owner-has-default')
          throw campaignRefused(id, result);
        const changed = result.kind === 'changed';
        const object = { id, owner_id: result.ownerId, is_default: isDefault, changed };
        const state = isDefault ? "its owner's default one" : 'an ordinary one';
        const sentence = `Campaign ${id} is ${state} ${changed ? 'now.' : 'already: nothing was done.'}`;
        await call.output.answer(object, sentence);
      });
  const setDefault = changeDefault(
    'set-default',
    "make a campaign its owner's default one, whose mirror cannot be set",
    true,
  );
  const unsetDefault = changeDefault(
    'unset-default',
    'make a default campaign an ordinary one, whose mirror can be set',
    false,
  );

  const all = [create, list, show, transfer, setDefault, unsetDefault, deletion(call, operator, 'campaign')];
  return group('campaign', 'create, list, transfer and delete campaigns', all);
}

/** Deletes a campaign and its mirror, or the mirror alone. */
export function deletion(call: Call, operator: OperatorAccess, what: 'campaign' | 'mirror') {
  const isWhole = what === 'campaign';
  const goes = isWhole ? 'a campaign and its mirror' : 'the mirror of a campaign';
  return leaf('delete', `delete ${goes}, but not the history; asks first`, [
    `${what} delete 7`,
    `${what} delete 7 --yes`,
  ])
    .argument('<campaign>', 'the campaign', parse.campaign)
    .option('--yes', 'do not ask')
    .action(async (id, { yes }) => {
      const deletion = await operator.acting(async ({ settings, records }) => {
        const run = (seen?: CampaignRecord) =>
          isWhole ? settings.deleteCampaign(id, seen) : settings.deleteMirror(id, seen);
        if (yes) return run();
        const seen = await records.find(id);
        if (!seen) return { kind: 'campaign-not-found' as const };
        if (!isWhole && !seen.mirror) return { kind: 'mirror-not-created' as const };
        await confirmed(call, question(seen, isWhole));
        call.throwIfStopped('Nothing was done.');
        return run(seen);
      });
      if (deletion.kind === 'changed-meanwhile') {
        throw new ClearError(
          `campaign ${id} changed meanwhile: nothing was deleted; look at it again with ` +
            `\`./campaign-mirror campaign show ${id}\``,
        );
      }
      if (deletion.kind !== 'deleted') throw campaignRefused(id, deletion.kind);
      const { name, mirror } = deletion.campaign;
      const named = campaignNamed(id, name);
      const whole = `The ${named}${mirror ? ' and its mirror were' : ' was'} deleted; the history stays.`;
      const sentence = isWhole ? whole : `The mirror of the ${named} was deleted; its history stays.`;
      await call.output.answer({ id, deleted: true, clicks: mirror?.clicks ?? null }, sentence);
    });
}

/** The question contains everything that will be deleted. */
function question({ id, ownerId, isDefault, name, mirror }: CampaignRecord, isWhole: boolean): string {
  const campaign = `${isDefault ? 'default ' : ''}${campaignNamed(id, name)} of the owner ${ownerId}`;
  const clicked = mirror && `(${printable(mirror.targetUrl)}, clicked ${mirror.clicks} times)`;
  const itsMirror = mirror ? `and its mirror ${clicked}` : 'which has no mirror';
  const what = isWhole ? `the ${campaign}, ${itsMirror}` : `the mirror ${clicked} of the ${campaign}`;
  return `Delete ${what}? Its history stays.`;
}
