import * as domain from '@campaign-mirror/domain';
import {
  type CampaignRecords,
  changeMirror,
  countLeft,
  createMirror,
  examinedTogether,
  isOnHost,
} from '@campaign-mirror/domain/operator';
import * as parse from '../terminal/arguments.ts';
import { group, leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, jsonOf, printable } from '../terminal/errors.ts';
import { confirmed, secret } from '../terminal/prompt.ts';
import { deletion } from './campaign-commands.ts';
import { changeMany } from './change-many.ts';
import { mirrorHistory } from './history-commands.ts';
import { follow } from './mirror-follow-command.ts';
import { move, moves } from './mirror-move-command.ts';
import { type OperatorAccess, reading } from './ports.ts';
import { campaignRefused, changeNumbers, leftOut } from './words.ts';

export function mirrorCommands(call: Call, operator: OperatorAccess) {
  const create = leaf('create', 'create the mirror of a campaign; a campaign has at most one', [
    'mirror create 42 --target-url https://first.example/',
  ])
    .argument('<campaign>', 'the campaign', parse.campaign)
    .requiredOption('--target-url <url>', 'the address; required')
    .action(async (campaign, { targetUrl }) => {
      const creation = await operator.acting(({ settings }, { deniedHosts }) =>
        createMirror(settings, deniedHosts, campaign, targetUrl),
      );
      if (creation.kind !== 'created') throw campaignRefused(campaign, creation, '--target-url');
      const object = { mirror: jsonOf(creation.mirror) };
      await call.output.answer(object, `The mirror of campaign ${campaign} was created.`);
    });

  const list = leaf('list', 'list mirrors by campaign', [
    'mirror list',
    'mirror list --host blocked.example --subdomains',
    'mirror list --owner 42 --json',
  ])
    .option('--owner <n>', "only those of this owner's campaigns", parse.owner)
    .option('--host <host>', 'only those on this host, in any spelling; reads all mirrors', parse.host)
    .option('--subdomains', 'with --host: also those on a name below it')
    .action(async ({ owner, host, subdomains = false }, command) => {
      if (subdomains && !host) return command.error('--subdomains needs --host');
      const left = { below: 0, elsewhere: 0 };
      const hosts = host && [host.name];
      const isWanted = ({ targetUrl }: domain.Mirror) => {
        const isOn = !hosts || isOnHost(targetUrl, hosts, subdomains);
        if (hosts) countLeft(left, targetUrl, hosts, isOn);
        return isOn;
      };
      const mirrors = async function* (records: CampaignRecords) {
        const page = hosts ? { owner, limit: examinedTogether, hosts } : { owner, limit: pageSize };
        let after: domain.CampaignId | undefined;
        do {
          call.throwIfStopped('Stopped: there is more.');
          const { mirrors, last } = await records.listMirrors({ ...page, after });
          yield* mirrors.filter(isWanted);
          after = last;
        } while (after);
      };
      await operator.acting(async ({ records }) => {
        const of = owner ? ` of the owner ${owner}` : '';
        const on = host
          ? ` is on ${host.written}${subdomains ? ' or a name below it' : ''}`
          : ' was created so far';
        await call.output.list(mirrors(records), {
          columns: ['campaign_id', 'id', 'clicks', 'updated_at', 'target_url'],
          none: `No mirror${of}${on}.`,
        });
        // Where a list ends early, the rest was not examined.
        if (host && !call.output.isReaderGone) await call.output.note(leftOut(left, [host], 'lists'));
      }, reading);
    });

  const show = leaf('show', 'show the mirror of a campaign with all its fields', ['mirror show 42'])
    .argument('<campaign>', 'the campaign', parse.campaign)
    .action(async (campaign) => {
      const found = await operator.acting(({ records }) => records.find(campaign), reading);
      if (!found?.mirror)
        throw campaignRefused(campaign, found ? 'mirror-not-created' : 'campaign-not-found');
      if (call.output.json) return call.output.object({ mirror: jsonOf(found.mirror) });
      await call.output.fields(jsonOf(found.mirror));
    });

  const setting = operator.accessKeySetting;
  const set = leaf(
    'set',
    `set a mirror with the access key in ${setting}, or as the operator, or those in a file`,
    [
      "mirror set 42 'https://second.example/?click={click_id}'",
      'mirror set 42 https://second.example/ --as-operator',
      'mirror set --file changes.csv --dry-run',
    ],
  )
    .argument('[campaign]', 'the campaign; required without --file', parse.campaign)
    .argument('[target-url]', 'the new address; required without --file')
    .option('--as-operator', 'without a key: whoever owns the campaign; recorded in the audit')
    .option(
      '--file <file>',
      'CSV with the columns campaign and target_url, perhaps expected; - for standard input',
    )
    .option('--dry-run', 'with --file: show each address before and after, and change nothing')
    .option('--yes', 'with --file: do not ask')
    .action(async (campaign, address, { asOperator, file, dryRun = false, yes = false }, command) => {
      if (file !== undefined && campaign === undefined) {
        const { settingPlan } = await import('./mirror-set-file.ts');
        const plan = await settingPlan(call, file);
        return changeMany(call, operator, async () => plan, { dryRun, yes });
      }
      if (file !== undefined || campaign === undefined || address === undefined || dryRun || yes) {
        return command.error(
          'either a campaign and its target URL are needed, or --file, perhaps with --dry-run or --yes',
        );
      }
      const refused = address === '' ? 'the target URL is empty' : undefined;
      const credential = asOperator ? undefined : await keyOfCaller(call, operator);
      const mirror = await operator.acting(
        async ({ mirrors, ...ports }, { deniedHosts: denied, requestId }) => {
          if (credential === undefined) {
            const act = { kind: 'mirror-set', details: {} } as const;
            const { mirror, because } = await changeMirror({ mirrors, denied, act }, { campaign, address });
            if (mirror) return mirror;
            throw campaignRefused(campaign, because ?? 'changed-meanwhile', refused);
          }
          const useCase = new domain.SetCampaignMirror(ports.campaigns, ports.identity, denied);
          const outcome = await useCase.execute({ credential, campaign, address, requestId });
          if (outcome.kind !== 'mirror-set') throw campaignRefused(campaign, outcome, refused);
          return outcome.mirror;
        },
      );
      await call.output.answer({ mirror: jsonOf(mirror) }, `The mirror of campaign ${campaign} is set.`);
    });

  const restore = leaf('restore', 'give the mirror of a campaign an earlier address', [
    'mirror restore 42 --undo 18',
    'mirror restore 42 --to 17',
  ])
    .argument('<campaign>', 'the campaign', parse.campaign)
    .option('--undo <change>', 'the address that this change replaced; required without --to', parse.change)
    .option('--to <change>', 'the address after this change; required without --undo', parse.change)
    .option('--yes', 'do not ask, although --undo discards later changes')
    .action(async (campaign, { undo, to, yes }) => {
      const change = to ?? undo;
      if (change === undefined || (to && undo))
        throw new ClearError(`either --undo or --to is needed: ${changeNumbers(campaign)}`, 'usage');
      const mirror = await operator.acting(async ({ history, mirrors }, { deniedHosts: denied }) => {
        const entry = await history.find(campaign, change);
        const latest = undo && !yes ? await history.list({ campaign, limit: maxListed + 1 }) : [];
        const later = latest.filter(({ id }) => id > change);
        if (later.length > 0) await confirmed(call, discarding(campaign, change, later));
        const address = to ? entry?.addressAfter : entry?.addressBefore;
        const act = { kind: 'mirror-restored', details: { change } } as const;
        // Only what the question has named is discarded. A change that does not exist has no address.
        const wanted = { campaign, address: address ?? '', lastChange: latest[0]?.id };
        const { mirror, because } = await changeMirror({ mirrors, denied, act }, wanted);
        if (mirror) return mirror;
        if (!entry && because === 'not-http') throw campaignRefused(campaign, { kind: 'no-address' });
        const refused = `the address of change ${change} is refused`;
        throw campaignRefused(campaign, because ?? 'changed-meanwhile', refused);
      });
      const sentence = `The mirror of campaign ${campaign} points to ${printable(mirror.targetUrl)} again.`;
      await call.output.answer({ mirror: jsonOf(mirror) }, sentence);
    });

  const changes = [mirrorHistory(call, operator), follow(call, operator)];
  const many = [move(call, operator), moves(call, operator)];
  const all = [create, list, show, set, ...changes, restore, ...many, deletion(call, operator, 'mirror')];
  return group('mirror', 'create, list, show, set, restore, move, follow and delete mirrors', all);
}

/** The maximum number of mirrors that are read at once. */
const pageSize = 500;

/** The maximum number of later changes that a question lists. */
const maxListed = 5;

function discarding(
  campaign: domain.CampaignId,
  change: number,
  later: readonly domain.HistoryEntry[],
): string {
  const listed = later.slice(0, maxListed).map(({ id, addressAfter }) => `${id} (to ${addressAfter})`);
  const more = later.length > maxListed ? ' and earlier ones' : '';
  return `The mirror of campaign ${campaign} was changed after change ${change}: ${listed.join(', ')}${more}. Discard these changes?`;
}

/** Never read from an argument: every user of the machine can see those, and shells record them. */
async function keyOfCaller(call: Call, operator: OperatorAccess): Promise<string> {
  const remedy = `put it into ${operator.accessKeySetting}, or add --as-operator`;
  const otherwise = `no access key, and no terminal to ask on: ${remedy}`;
  const key = (await operator.accessKey()) ?? (await secret(call, 'The access key:', otherwise));
  return key.trim();
}
