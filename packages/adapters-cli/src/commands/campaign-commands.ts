import type { CampaignId } from '@campaign-mirror/domain';
import * as operators from '@campaign-mirror/domain/operator';
import * as parse from '../terminal/arguments.ts';
import { group, leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, jsonOf, printable } from '../terminal/errors.ts';
import { rowsAfter } from '../terminal/lists.ts';
import { campaignNamed, campaignRefused } from './messages.ts';
import { type OperatorAccess, reading } from './operator-access.ts';

export function campaignCommands(call: Call, operator: OperatorAccess) {
  const create = leaf('create', 'create a campaign', ['campaign create --owner 42 --name Summer'])
    .requiredOption('--owner <n>', 'the owner; required', parse.owner)
    .option('--default', "make it the owner's default campaign, whose mirror cannot be set")
    .option('--name <name>', 'a name for people', parse.name)
    .action(async ({ owner, default: isDefault = false, name }) => {
      const creation = await operator.withPorts(({ settings }) =>
        settings.createCampaign({ owner, isDefault, ...(name && { name }) }),
      );
      const { id } = creation;
      if (creation.kind !== 'created') throw campaignRefused(id, creation);
      await call.output.answer({ id }, `Campaign ${id} was created for owner ${owner}.`);
    });

  const listing = 'list campaigns by number, with the addresses of their mirrors';
  const list = leaf('list', listing, ['campaign list --owner 42 --limit 20', 'campaign list --after 1000'])
    .option('--owner <n>', 'only campaigns of this owner', parse.owner)
    .option('--name <text>', 'only campaigns whose name contains this text; ignores case', parse.name)
    .option('--limit <n>', 'maximum number to show; all by default', parse.limit)
    .option('--after <id>', 'only campaigns after this one', parse.campaign)
    .action(async ({ owner, name, ...range }) => {
      await operator.withPorts(
        ({ records }) => {
          const rows = rowsAfter(call, range, (part) => records.list({ ...part, owner, name }));
          return call.output.list(rows, {
            columns: ['id', 'owner_id', 'is_default', 'created_at', 'name', 'mirror.target_url'],
            none: 'No campaign was found.',
          });
        },
        { ...reading, pace: 'in-steps' },
      );
    });

  const show = leaf('show', 'show a campaign and its mirror with all their fields', ['campaign show 42'])
    .argument('<campaign>', 'the campaign', parse.campaign)
    .action(async (id) => {
      const campaign = await operator.withPorts(({ records }) => records.find(id), reading);
      if (!campaign) throw campaignRefused(id, 'campaign-not-found');
      if (call.output.json) return call.output.object(jsonOf(campaign));
      await call.output.fields(operators.campaignRow(campaign));
    });

  const changeOf = async (
    id: CampaignId,
    act: (settings: operators.CampaignSettings) => Promise<operators.CampaignChange>,
  ) => {
    const result = await operator.withPorts(({ settings }) => act(settings));
    if (result.kind === 'campaign-not-found' || result.kind === 'owner-has-default')
      throw campaignRefused(id, result);
    return { changed: result.kind === 'changed', before: result.ownerId };
  };

  const transferring =
    'transfer a campaign to another owner: keys of the previous owner no longer set its mirror';
  const transfer = leaf('transfer', transferring, ['campaign transfer 7 --to 43'])
    .argument('<campaign>', 'the campaign', parse.campaign)
    .requiredOption('--to <owner>', 'the new owner; required', parse.owner)
    .action(async (id, { to }) => {
      const { changed, before } = await changeOf(id, (settings) => settings.transfer(id, to));
      const rest = changed ? `now; before, to owner ${before}.` : 'already: nothing was done.';
      const object = { id, owner_id: to, owner_id_before: before, changed };
      await call.output.answer(object, `Campaign ${id} belongs to owner ${to} ${rest}`);
    });

  const defaultFlag = (name: string, description: string, isDefault: boolean) =>
    leaf(name, description, [`campaign ${name} 7`])
      .argument('<campaign>', 'the campaign', parse.campaign)
      .action(async (id) => {
        const { changed, before } = await changeOf(id, (settings) => settings.setDefault(id, isDefault));
        const object = { id, owner_id: before, is_default: isDefault, changed };
        const state = isDefault ? "its owner's default one" : 'an ordinary one';
        const sentence = `Campaign ${id} is ${state} ${changed ? 'now.' : 'already: nothing was done.'}`;
        await call.output.answer(object, sentence);
      });
  const makeDefault = "make a campaign its owner's default campaign, whose mirror cannot be set";
  const setDefault = defaultFlag('set-default', makeDefault, true);
  const makeOrdinary = 'make a default campaign an ordinary one, whose mirror can be set';
  const unsetDefault = defaultFlag('unset-default', makeOrdinary, false);

  const all = [create, list, show, transfer, setDefault, unsetDefault, deletion(call, operator, 'campaign')];
  return group('campaign', 'create, list, transfer and delete campaigns', all);
}

export function deletion(call: Call, operator: OperatorAccess, what: 'campaign' | 'mirror') {
  const isWhole = what === 'campaign';
  const object = isWhole ? 'a campaign and its mirror' : 'the mirror of a campaign';
  return leaf('delete', `delete ${object}, but not the history; asks first`, [`${what} delete 7`])
    .argument('<campaign>', 'the campaign', parse.campaign)
    .option('--yes', 'do not ask')
    .action(async (id, { yes }) => {
      const deletion = await operator.withPorts(async ({ settings, records }) => {
        const run = (seen?: operators.CampaignRecord) =>
          isWhole ? settings.deleteCampaign(id, seen) : settings.deleteMirror(id, seen);
        if (yes) return run();
        const seen = await records.find(id);
        if (!seen) return { kind: 'campaign-not-found' as const };
        if (!isWhole && !seen.mirror) return { kind: 'mirror-not-created' as const };
        await call.confirm(question(seen, isWhole));
        return run(seen);
      });
      if (deletion.kind === 'changed-meanwhile')
        throw new ClearError(
          `campaign ${id} changed meanwhile: nothing was deleted; see ` +
            `\`./campaign-mirror campaign show ${id}\``,
        );
      if (deletion.kind !== 'deleted') throw campaignRefused(id, deletion.kind);
      const { name, mirror } = deletion.campaign;
      const campaign = campaignNamed(id, name);
      const deleted = isWhole ? `C${campaign.slice(1)}` : `The mirror of ${campaign}`;
      const object = { id, deleted: true, clicks: mirror?.clicks ?? null };
      await call.output.answer(object, `${deleted} was deleted; its history stays.`);
    });
}

function question(
  { id, ownerId, isDefault, name, mirror }: operators.CampaignRecord,
  isWhole: boolean,
): string {
  const campaign = `${isDefault ? 'default ' : ''}${campaignNamed(id, name)} of owner ${ownerId}`;
  const clicked = mirror && `mirror (${printable(mirror.targetUrl)}, clicked ${mirror.clicks} times)`;
  const what = isWhole ? campaign + (mirror ? `, and its ${clicked}` : '') : `the ${clicked} of ${campaign}`;
  return `Delete ${what}? Its history stays.`;
}
