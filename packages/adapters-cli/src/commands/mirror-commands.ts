import * as domain from '@campaign-mirror/domain';
import {
  type CampaignRecords,
  changeMirror,
  hostScanBatch,
  isOnHost,
} from '@campaign-mirror/domain/operator';
import * as parse from '../terminal/arguments.ts';
import { group, leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, jsonOf, printable } from '../terminal/errors.ts';
import { readBatch } from '../terminal/lists.ts';
import { deletion } from './campaign-commands.ts';
import { follow, mirrorHistory } from './history-commands.ts';
import { campaignRefused } from './messages.ts';
import { move, moves } from './mirror-move-command.ts';
import { type OperatorAccess, reading } from './operator-access.ts';
import { runPlan } from './run-plan.ts';

export function mirrorCommands(call: Call, operator: OperatorAccess) {
  const create = leaf('create', 'create the mirror of a campaign; a campaign has at most one', [
    'mirror create 42 --target-url https://first.example/',
  ])
    .argument('<campaign>', 'the campaign', parse.campaign)
    .requiredOption('--target-url <url>', 'the address; required')
    .action(async (campaign, { targetUrl }) => {
      const creation = await operator.withPorts(async ({ settings }, { deniedHosts }) => {
        const address = domain.checkedAddress(targetUrl, deniedHosts);
        return typeof address === 'string' ? settings.createMirror(campaign, address) : address;
      });
      if (creation.kind !== 'created') throw campaignRefused(campaign, creation, '--target-url');
      const object = { mirror: jsonOf(creation.mirror) };
      await call.output.answer(object, `The mirror of campaign ${campaign} was created.`);
    });

  const list = leaf('list', 'list mirrors by campaign', ['mirror list --host blocked.example --subdomains'])
    .option('--owner <n>', "only mirrors of this owner's campaigns", parse.owner)
    .option('--host <host>', 'only mirrors on this host, in any spelling; reads all mirrors', parse.host)
    .option('--subdomains', 'with --host: also mirrors on a name below it')
    .action(async ({ owner, host, subdomains = false }, command) => {
      if (subdomains && !host) return command.error('--subdomains needs --host');
      const hosts = host && [host.name];
      const mirrorsOf = async function* (records: CampaignRecords) {
        const query = hosts ? { owner, limit: hostScanBatch, hosts } : { owner, limit: readBatch };
        let after: domain.CampaignId | undefined;
        do {
          call.throwIfStopped('Stopped: there is more.');
          const { mirrors, last } = await records.listMirrors({ ...query, after });
          yield* mirrors.filter(({ targetUrl }) => !hosts || isOnHost(targetUrl, hosts, subdomains));
          after = last;
        } while (after);
      };
      const columns = ['campaign_id', 'id', 'clicks', 'updated_at', 'target_url'];
      const listing = { columns, none: 'No mirror was found.' };
      await operator.withPorts(({ records }) => call.output.list(mirrorsOf(records), listing), reading);
    });

  const show = leaf('show', 'show the mirror of a campaign with all its fields', ['mirror show 42'])
    .argument('<campaign>', 'the campaign', parse.campaign)
    .action(async (campaign) => {
      const found = await operator.withPorts(({ records }) => records.find(campaign), reading);
      if (!found?.mirror)
        throw campaignRefused(campaign, found ? 'mirror-not-created' : 'campaign-not-found');
      if (call.output.json) return call.output.object({ mirror: jsonOf(found.mirror) });
      await call.output.fields(jsonOf(found.mirror));
    });

  const setting = operator.accessKeySetting;
  const set = leaf('set', `set a mirror with the access key in ${setting}, as the operator, or from a file`, [
    "mirror set 42 'https://second.example/?click={click_id}' --as-operator",
    'mirror set --file changes.csv --dry-run',
  ])
    .argument('[campaign]', 'the campaign; required without --file', parse.campaign)
    .argument('[target-url]', 'the new address; required without --file')
    .option('--as-operator', 'without a key, for any owner; recorded in the audit')
    .option('--file <file>', 'CSV with campaign, target_url, optionally expected; - for standard input')
    .option('--dry-run', 'with --file: show each address before and after, and change nothing')
    .option('--yes', 'with --file: do not ask')
    .action(async (campaign, address, { asOperator, file, dryRun = false, yes = false }, command) => {
      if (file !== undefined && campaign === undefined) {
        const { planFromFile } = await import('./plan-from-file.ts');
        const plan = await planFromFile(call, file);
        return runPlan(call, operator, async () => plan, { dryRun, yes });
      }
      if (file !== undefined || campaign === undefined || address === undefined || dryRun || yes)
        return command.error('either a campaign and its target URL are needed, or --file without them');
      const refused = address === '' ? 'the target URL is empty' : undefined;
      const credential = asOperator ? undefined : await readKey(call, operator);
      const mirror = await operator.withPorts(
        async ({ mirrors, campaigns, identity }, { deniedHosts: denied, requestId }) => {
          if (credential === undefined) {
            const act = { kind: 'mirror-set', details: {} } as const;
            const { mirror, because } = await changeMirror({ mirrors, denied, act }, { campaign, address });
            if (mirror) return mirror;
            throw campaignRefused(campaign, because ?? 'changed-meanwhile', refused);
          }
          const useCase = new domain.SetCampaignMirror(campaigns, identity, denied);
          const outcome = await useCase.execute({ credential, campaign, address, requestId });
          if (outcome.kind !== 'mirror-set') throw campaignRefused(campaign, outcome, refused);
          return outcome.mirror;
        },
      );
      await call.output.answer({ mirror: jsonOf(mirror) }, `The mirror of campaign ${campaign} is set.`);
    });

  const restoring = 'set the mirror of a campaign to an earlier address';
  const restore = leaf('restore', restoring, ['mirror restore 42 --undo 18'])
    .argument('<campaign>', 'the campaign', parse.campaign)
    .option('--undo <change>', 'to the address before this change; required without --to', parse.change)
    .option('--to <change>', 'to the address after this change; required without --undo', parse.change)
    .option('--yes', 'do not ask, although --undo discards later changes')
    .action(async (campaign, { undo, to, yes }) => {
      const change = to ?? undo;
      const numbers = `\`./campaign-mirror mirror history ${campaign}\` shows the numbers of the changes`;
      if (change === undefined || (to && undo))
        throw new ClearError(`either --undo or --to is needed: ${numbers}`, 'usage');
      const mirror = await operator.withPorts(async ({ history, mirrors }, { deniedHosts: denied }) => {
        const entry = await history.find(campaign, change);
        const [last] = undo && !yes ? await history.list({ campaign, limit: 1 }) : [];
        if (last && last.id > change)
          await call.confirm(
            `The mirror of campaign ${campaign} was changed after change ${change}, last by change ${last.id} ` +
              `(to ${last.addressAfter}). Discard these changes?`,
          );
        const act = { kind: 'mirror-restored', details: { change } } as const;
        // A change made after the question is kept. Without an entry, the empty address is refused.
        const address = (to ? entry?.addressAfter : entry?.addressBefore) ?? '';
        const wanted = { campaign, address, lastChange: last?.id };
        const { mirror, because } = await changeMirror({ mirrors, denied, act }, wanted);
        if (mirror) return mirror;
        if (!entry && because === 'not-http')
          throw new ClearError(`the history of campaign ${campaign} has no such change: ${numbers}`);
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

/** Never reads the key from an argument: other users of the machine can see arguments, and shells record them. */
async function readKey(call: Call, operator: OperatorAccess): Promise<string> {
  const remedy = `put it into ${operator.accessKeySetting}, or add --as-operator`;
  const otherwise = `no access key, and no terminal to ask on: ${remedy}`;
  const key = (await operator.accessKey()) ?? (await call.secret('The access key:', otherwise));
  return key.trim();
}
