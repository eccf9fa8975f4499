import type { HostList, OwnerId } from '@campaign-mirror/domain';
import {
  type AuditId,
  type Host,
  type HostMoveFault,
  hostMoveFault,
  inPages,
  type OperatorMirrors,
  onHost,
} from '@campaign-mirror/domain/operator';
import * as parse from '../terminal/arguments.ts';
import { leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { changeMany, type Plan } from './change-many.ts';
import type { ActContext, OperatorAccess } from './ports.ts';
import { leftOut } from './words.ts';

export function move(call: Call, operator: OperatorAccess) {
  return leaf('move', 'move every mirror on one host to another host, such as when a domain is blocked', [
    'mirror move --from-host old.example --to-host new.example --dry-run',
    'mirror move --from-host old.example --to-host new.example --subdomains --owner 42',
    'mirror move --undo 17',
  ])
    .option(
      '--from-host <host>',
      'the host to move from, in any spelling; required without --undo',
      parse.host,
    )
    .option('--to-host <host>', 'the host to move to, spelled as given; required without --undo', parse.host)
    .option('--subdomains', 'also move every name below it: x.old.example becomes x.new.example')
    .option('--owner <n>', "only mirrors of this owner's campaigns", parse.owner)
    .option('--include-default', 'also move mirrors of default campaigns, which otherwise are not moved')
    .option(
      '--undo <move>',
      'give the mirrors of this move their addresses back, unless they were changed since',
      parse.audit,
    )
    .option('--dry-run', 'show each address before and after, and change nothing')
    .option('--yes', 'do not ask')
    .action(async ({ undo, includeDefault = false, dryRun = false, yes = false, ...hosts }) => {
      const { fromHost: from, toHost: to, subdomains = false, owner } = hosts;
      let planOf: (mirrors: OperatorMirrors, context: ActContext) => Promise<Plan>;
      if (undo === undefined && from && to)
        planOf = (mirrors, { deniedHosts }) =>
          moving(mirrors, deniedHosts, { from, to, subdomains, owner, includeDefault });
      else if (undo !== undefined && !from && !to && !subdomains && !owner)
        planOf = (mirrors) => undoing(mirrors, undo, includeDefault);
      else throw new ClearError('either --from-host and --to-host are needed, or --undo alone', 'usage');
      await changeMany(call, operator, planOf, { dryRun, yes });
    });
}

interface Moving {
  readonly from: Host;
  readonly to: Host;
  readonly subdomains: boolean;
  readonly owner: OwnerId | undefined;
  readonly includeDefault: boolean;
}

/** @throws ClearError when the move is invalid */
async function moving(
  mirrors: OperatorMirrors,
  denied: HostList,
  { from, to, subdomains, owner, includeDefault }: Moving,
): Promise<Plan> {
  const move = { from: from.name, to, subdomains };
  const fault = hostMoveFault(move, denied);
  if (fault) throw refused(fault, from.written, to.written);
  const left = { below: 0, elsewhere: 0 };
  const whose = owner ? ` of the owner ${owner}` : '';
  const details = { from: from.name, to: to.written, subdomains };
  return {
    act: { kind: 'mirrors-moved', details, owner, includeDefault },
    pages: () => onHost(mirrors, move, owner, Object.assign(left, { below: 0, elsewhere: 0 })),
    total: await mirrors.count(owner),
    verb: 'move',
    direction: `from ${from.written} to ${to.written}`,
    none: `No mirror${whose} is on ${from.written}${subdomains ? ' or a name below it' : ''}.`,
    left: () => leftOut(left, from, 'moves'),
    fields: left,
  };
}

/** @throws ClearError when there is no such move */
async function undoing(mirrors: OperatorMirrors, move: AuditId, includeDefault: boolean): Promise<Plan> {
  let by = await mirrors.undoneBy(move);
  if (by === undefined)
    throw new ClearError(`there is no move ${move}: \`./campaign-mirror audit\` shows the numbers of moves`);
  // An undo may have been undone itself.
  const chain = [move];
  for (; by; by = await mirrors.undoneBy(by)) chain.push(by);
  const last = chain.at(-1);
  const command = `\`./campaign-mirror mirror move --undo ${last}\``;
  const isUndone =
    chain.length % 2 === 0
      ? `move ${move} was undone already, by move ${last}: ${command} makes it again`
      : `move ${move} was undone, and made again by move ${last}: ${command} undoes it`;
  return {
    act: { kind: 'mirrors-moved', details: { undoes: move }, includeDefault },
    pages: () => inPages(mirrors.undoing(move)),
    verb: 'move',
    direction: `back as before move ${move}`,
    none: `Move ${move} has nothing to undo.`,
    isDone: chain.length > 1 ? isUndone : undefined,
  };
}

/** Why a move is invalid, and what to do instead. */
function refused(fault: HostMoveFault, from: string, to: string): ClearError {
  if (fault === 'no-names-below')
    return new ClearError('an IP address has no names below it: leave out --subdomains', 'usage');
  if (fault === 'denied-host') return new ClearError(`--to-host: the host denylist contains ${to}`);
  return new ClearError(
    `${to} matches ${from}, so a mirror that was moved would be moved again: use another --to-host`,
  );
}
