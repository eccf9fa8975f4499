import type { AccessKeyId, OwnerId } from '@campaign-mirror/domain';
import * as operators from '@campaign-mirror/domain/operator';
import * as parse from '../terminal/arguments.ts';
import { leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { rowsAfter } from '../terminal/lists.ts';
import { hostsNamed, limitedKeysText, noSuchMove, unmovedText } from './messages.ts';
import { type ActContext, type OperatorAccess, type OperatorPorts, reading } from './operator-access.ts';
import { type Plan, runPlan } from './run-plan.ts';

export function move(call: Call, operator: OperatorAccess) {
  return leaf('move', 'move every mirror on hosts to another host, such as when domains are blocked', [
    'mirror move --from-host old.example --from-host older.example --to-host new.example --dry-run',
    'mirror move --undo 17',
  ])
    .option('--from-host <host...>', 'the old hosts; required without --undo', parse.hostsToMove)
    .option('--to-host <host>', 'the new host, spelled as given; required without --undo', parse.host)
    .option('--subdomains', 'also move names below the hosts: x.old.example becomes x.new.example')
    .option('--owner <n>', "only mirrors of this owner's campaigns", parse.owner)
    .option('--include-default', 'also move mirrors of default campaigns')
    .option('--undo <move>', 'restore the addresses before this move, unless changed since', parse.audit)
    .option('--dry-run', 'show each address before and after, and change nothing')
    .option('--yes', 'do not ask')
    .action(async ({ undo, includeDefault = false, dryRun = false, yes = false, ...hosts }, command) => {
      const { fromHost: from, toHost: to, subdomains = false, owner } = hosts;
      let planOf: (ports: OperatorPorts, context: ActContext) => Promise<Plan>;
      if (undo === undefined && from && to)
        planOf = (ports, context) =>
          planMove(call, ports, context, { from, to, subdomains, owner, includeDefault });
      else if (undo !== undefined && !from && !to && !subdomains && !owner)
        planOf = ({ mirrors }) => planUndo(mirrors, undo, includeDefault);
      else return command.error('either --from-host and --to-host are needed, or --undo without hosts');
      await runPlan(call, operator, planOf, { dryRun, yes });
    });
}

type MoveOptions = Pick<operators.HostMove, 'to' | 'subdomains'> & {
  readonly from: readonly operators.Host[];
  readonly owner: OwnerId | undefined;
  readonly includeDefault: boolean;
};

async function planMove(
  call: Call,
  { mirrors, keys }: OperatorPorts,
  { deniedHosts }: ActContext,
  { from, to, subdomains, owner, includeDefault }: MoveOptions,
): Promise<Plan> {
  const move: operators.HostMove = { from: from.map(({ name }) => name), to, subdomains };
  const other = 'use another --to-host';
  const refusals: Readonly<Record<operators.HostMoveFault, string>> = {
    'no-names-below': 'an IP address has no names below it: move it without --subdomains',
    'denied-host': `the host denylist contains ${to.written}, or names below it: ${other}`,
    'below-source': `${to.written} is ${hostsNamed(from)} itself, or lies below it: ${other}`,
    'impossible-host': `no mirror can be on ${to.written}, which visitors cannot reach: ${other}`,
  };
  const fault = operators.hostMoveFault(move, deniedHosts);
  if (fault) throw new ClearError(refusals[fault], fault === 'no-names-below' ? 'usage' : 'refused');
  const limited: AccessKeyId[] = [];
  const limitedKeys = rowsAfter<AccessKeyId, operators.AccessKeyRecord>(call, {}, (part) =>
    keys.list({ ...part, owner, limited: true }),
  );
  for await (const { id, hosts } of limitedKeys)
    if (operators.isLimitedToOldHosts(move, hosts ?? [])) limited.push(id);
  const unmoved = { below: 0, elsewhere: 0 };
  // An interrupted move is resumed by its details, so they do not depend on spelling or order.
  const details = { from: move.from.toSorted().join(','), to: to.name, subdomains };
  return {
    act: { kind: 'mirrors-moved', details, owner, includeDefault },
    batches: () =>
      operators.mirrorsOnHosts(mirrors, move, owner, Object.assign(unmoved, { below: 0, elsewhere: 0 })),
    total: await mirrors.count(owner),
    verb: 'move',
    direction: `from ${from.map(({ written }) => written).join(', ')} to ${to.written}`,
    none: `No mirror is on ${hostsNamed(from)}.`,
    warning: () =>
      [unmovedText(unmoved, from), limitedKeysText(limited, to.written)].filter(Boolean).join(' '),
    fields: () => ({ ...unmoved, limited_keys: limited.length }),
  };
}

async function planUndo(
  mirrors: operators.OperatorMirrors,
  move: operators.AuditId,
  includeDefault: boolean,
): Promise<Plan> {
  const found = await mirrors.findMove(move);
  if (!found) throw noSuchMove(move);
  return {
    act: {
      kind: 'mirrors-moved',
      details: { undoes: move },
      includeDefault: includeDefault || found.includeDefault,
    },
    batches: () => operators.inBatches(mirrors.mirrorsToUndo(move)),
    verb: 'move',
    direction: `back as before move ${move}`,
    none: `Move ${move} has nothing to undo.`,
  };
}

export function moves(call: Call, operator: OperatorAccess) {
  const columns = 'id acted_at operator mirrors from to source undoes undone_by finished'.split(' ');
  const listing = { columns, none: 'No move was found.' };
  const description = 'list moves, newest first, including those from files';
  return leaf('moves', description, ['mirror moves']).action(async () => {
    await operator.withPorts(({ audit }) => {
      const read = ({ after: before, limit }: { after: operators.AuditId | undefined; limit: number }) =>
        audit.list({ act: 'mirrors-moved', before, limit });
      return call.output.list(movesOf(rowsAfter(call, {}, read)), listing);
    }, reading);
  });
}

async function* movesOf(entries: AsyncIterable<operators.AuditEntry>) {
  const undoneBy = new Map<unknown, operators.AuditId>();
  for await (const { id, actedAt, operator, ownerId, details } of entries) {
    // The newest undo comes first.
    if (details.undoes && !undoneBy.has(details.undoes)) undoneBy.set(details.undoes, id);
    const finished = details.finished || undoneBy.has(id);
    yield { id, actedAt, operator, ownerId, ...details, finished, undone_by: undoneBy.get(id) ?? null };
  }
}
