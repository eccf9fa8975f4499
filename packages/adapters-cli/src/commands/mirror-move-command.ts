import type { AccessKeyId, OwnerId } from '@campaign-mirror/domain';
import {
  type AccessKeyRecord,
  type AuditEntry,
  type AuditId,
  type Host,
  type HostMove,
  type HostMoveFault,
  hostMoveFault,
  inPages,
  keepsToOldHost,
  type OperatorMirrors,
  onHost,
} from '@campaign-mirror/domain/operator';
import * as parse from '../terminal/arguments.ts';
import { leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { paged } from '../terminal/pages.ts';
import { changeMany, type Plan } from './change-many.ts';
import { type ActContext, type OperatorAccess, type OperatorPorts, reading } from './ports.ts';
import { hostsNamed, leftOut, limitedKeys, noSuchMove } from './words.ts';

export function move(call: Call, operator: OperatorAccess) {
  return leaf('move', 'move every mirror on hosts to another host, such as when domains are blocked', [
    'mirror move --from-host old.example --to-host new.example --dry-run',
    'mirror move --from-host old.example --from-host older.example --to-host new.example --subdomains',
    'mirror move --undo 17',
  ])
    .option(
      '--from-host <host...>',
      'hosts to move from, in any spelling; required without --undo',
      parse.hostsToMove,
    )
    .option('--to-host <host>', 'the host to move to, spelled as given; required without --undo', parse.host)
    .option('--subdomains', 'also move every name below them: x.old.example becomes x.new.example')
    .option('--owner <n>', "only mirrors of this owner's campaigns", parse.owner)
    .option('--include-default', 'also move mirrors of default campaigns, which otherwise are not moved')
    .option(
      '--undo <move>',
      'give its mirrors their addresses back, unless they were changed since',
      parse.audit,
    )
    .option('--dry-run', 'show each address before and after, and change nothing')
    .option('--yes', 'do not ask')
    .action(async ({ undo, includeDefault = false, dryRun = false, yes = false, ...hosts }, command) => {
      const { fromHost: from, toHost: to, subdomains = false, owner } = hosts;
      let planOf: (ports: OperatorPorts, context: ActContext) => Promise<Plan>;
      if (undo === undefined && from && to)
        planOf = (ports, context) =>
          moving(call, ports, context, { from, to, subdomains, owner, includeDefault });
      else if (undo !== undefined && !from && !to && !subdomains && !owner)
        planOf = ({ mirrors }) => undoing(mirrors, undo, includeDefault);
      else return command.error('either --from-host and --to-host are needed, or --undo without hosts');
      await changeMany(call, operator, planOf, { dryRun, yes });
    });
}

interface Moving {
  readonly from: readonly Host[];
  readonly to: Host;
  readonly subdomains: boolean;
  readonly owner: OwnerId | undefined;
  readonly includeDefault: boolean;
}

/** @throws ClearError when the move is invalid */
async function moving(
  call: Call,
  { mirrors, keys }: OperatorPorts,
  { deniedHosts }: ActContext,
  { from, to, subdomains, owner, includeDefault }: Moving,
): Promise<Plan> {
  const move: HostMove = { from: from.map(({ name }) => name), to, subdomains };
  const fault = hostMoveFault(move, deniedHosts);
  if (fault) throw refused(fault, from, to);
  const limited: AccessKeyRecord[] = [];
  for await (const key of paged<AccessKeyId, AccessKeyRecord>(call, {}, (page) =>
    keys.list({ ...page, owner, limited: true }),
  ))
    if (keepsToOldHost(move, key.hosts ?? [])) limited.push(key);
  const left = { below: 0, elsewhere: 0 };
  const whose = owner ? ` of the owner ${owner}` : '';
  // The same in every spelling, so that it goes on when it is run again.
  const details = { from: move.from.toSorted().join(','), to: to.name, subdomains };
  return {
    act: { kind: 'mirrors-moved', details, owner, includeDefault },
    pages: () => onHost(mirrors, move, owner, Object.assign(left, { below: 0, elsewhere: 0 })),
    total: await mirrors.count(owner),
    verb: 'move',
    direction: `from ${from.map(({ written }) => written).join(', ')} to ${to.written}`,
    none: `No mirror${whose} is on ${hostsNamed(from)}${subdomains ? ' or a name below it' : ''}.`,
    left: () => [leftOut(left, from, 'moves'), limitedKeys(limited, move)].filter(Boolean).join(' '),
    fields: () => ({ ...left, limited_keys: limited.length }),
  };
}

/** @throws ClearError when there is no such move */
async function undoing(mirrors: OperatorMirrors, move: AuditId, includeDefault: boolean): Promise<Plan> {
  const found = await mirrors.findMove(move);
  if (!found) throw noSuchMove(move);
  const { undoneBy } = found;
  const isDone =
    `move ${move} was undone already, by move ${undoneBy}: ` +
    `\`./campaign-mirror mirror move --undo ${undoneBy}\` makes it again`;
  return {
    act: {
      ...{ kind: 'mirrors-moved', details: { undoes: move } },
      includeDefault: includeDefault || found.includeDefault,
    },
    pages: () => inPages(mirrors.undoing(move)),
    verb: 'move',
    direction: `back as before move ${move}`,
    none: `Move ${move} has nothing to undo.`,
    isDone: undoneBy ? isDone : undefined,
  };
}

/** Why a move is invalid, and what to do instead. */
function refused(fault: HostMoveFault, from: readonly Host[], { written: to }: Host): ClearError {
  if (fault === 'no-names-below')
    return new ClearError(
      'an IP address has no names below it: move it by itself, without --subdomains',
      'usage',
    );
  const why = {
    'denied-host': `the host denylist contains ${to}, or names below it`,
    'below-source': `${to} is ${hostsNamed(from)} itself, or lies below it`,
    'impossible-host': `no mirror can be on ${to}, which visitors cannot reach`,
  };
  return new ClearError(`${why[fault]}: use another --to-host`);
}

export function moves(call: Call, operator: OperatorAccess) {
  const columns = [
    'id',
    'acted_at',
    'operator',
    'mirrors',
    'from',
    'to',
    'source',
    'undoes',
    'undone_by',
    'finished',
  ];
  return leaf('moves', 'list moves and what was set from files, newest first, with their numbers', [
    'mirror moves',
    'mirror moves --json',
  ]).action(async () => {
    await operator.acting(async ({ audit }) => {
      const entries = paged<AuditId, AuditEntry>(call, {}, ({ after: before, limit }) =>
        audit.list({ act: 'mirrors-moved', before, limit }),
      );
      await call.output.list(movesOf(entries), { columns, none: 'No mirror was moved so far.' });
    }, reading);
  });
}

async function* movesOf(entries: AsyncIterable<AuditEntry>) {
  const undoneBy = new Map<unknown, AuditId>();
  for await (const { id, actedAt, operator, ownerId, details } of entries) {
    // The newest comes first.
    if (details.undoes && !undoneBy.has(details.undoes)) undoneBy.set(details.undoes, id);
    // One that was stopped and undone is not waited for.
    const finished = details.finished || undoneBy.has(id);
    yield { id, actedAt, operator, ownerId, ...details, finished, undone_by: undoneBy.get(id) ?? null };
  }
}
