import type * as domain from '@campaign-mirror/domain';
import {
  type AuditId,
  type Host,
  type HostMoveFault,
  hostMoveFault,
  type MirrorMoved,
  type MirrorMoves,
  type MoveProgress,
  moveMirrors,
  undoMove,
} from '@campaign-mirror/domain/operator';
import * as parse from '../terminal/arguments.ts';
import { leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { confirmed } from '../terminal/prompt.ts';
import { MoveReport, type ReportOptions } from './move-report.ts';
import type { ActContext, OperatorAccess } from './ports.ts';
import { leftOut } from './words.ts';

/** A move, the undoing of one, or the setting of many mirrors, and its texts. */
export interface Plan extends Pick<ReportOptions, 'done' | 'total' | 'move'> {
  /** With `dryRun` nothing is written. */
  events(dryRun: boolean): AsyncIterable<MirrorMoved | MoveProgress>;
  /** Such as `from old.example to new.example`. */
  readonly direction: string;
  /** Printed if there is no mirror to move. */
  readonly none: string;
  /** What it leaves as it is, although the user may expect it to change; empty if there is nothing. */
  left?(report: MoveReport): string;
  /** @throws ClearError if nothing is left to do */
  refuse?(dryRun: MoveReport): void;
}

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
      let planOf: PlanOf | undefined;
      if (undo === undefined && from && to) {
        const options = { subdomains, includeDefault, ...(owner && { owner }) };
        planOf = (moves, denied) => movePlan(moves, from, to, options, denied);
      } else if (undo !== undefined && !from && !to && !subdomains && !owner) {
        planOf = (moves, denied) => undoingPlan(moves, undo, includeDefault, denied);
      }
      if (!planOf) {
        throw new ClearError('either --from-host and --to-host are needed, or --undo alone', 'usage');
      }
      await carryOut(call, operator, planOf, { dryRun, yes });
    });
}

type PlanOf = (moves: MirrorMoves, denied: domain.HostList) => Promise<Plan>;

/**
 * Asks, unless it is told not to, makes the move or shows what it would do, and prints each result and the sums.
 * @throws ClearError, also if not every mirror was moved; Interrupted
 */
export async function carryOut(
  call: Call,
  operator: OperatorAccess,
  planOf: PlanOf,
  { dryRun, yes }: { readonly dryRun: boolean; readonly yes: boolean },
): Promise<void> {
  let state = 'nothing was done';
  const carry = async (
    { moves }: { readonly moves: MirrorMoves },
    { deniedHosts }: Pick<ActContext, 'deniedHosts'>,
  ) => {
    const plan = await planOf(moves, deniedHosts);
    const reportOf = (dryRun: boolean, printsMirrors: boolean) => {
      const report = new MoveReport(call, { ...plan, dryRun, printsMirrors, moves });
      return report.take(plan.events(dryRun)).finally(() => {
        if (!dryRun) state = `${report.movedSoFar} for certain`;
      });
    };
    const asks = !dryRun && !yes;
    if (asks || plan.refuse) {
      const found = await reportOf(true, false);
      plan.refuse?.(found);
      if (asks) await confirmMove(call, plan, found);
    }
    const report = await reportOf(dryRun, true);
    await call.output.note(plan.left?.(report) ?? '');
    const { counts, examined, moveId, notMoved, below, elsewhere } = report;
    let sentence = plan.none;
    if (notMoved || counts.moved + counts['would-move'] > 0) {
      sentence = dryRun
        ? `${report.toMove} would be ${plan.done} ${plan.direction}; nothing was done.`
        : `${report.moved} ${plan.direction}.`;
      if (moveId)
        sentence += ` This is move ${moveId}: \`./campaign-mirror mirror move --undo ${moveId}\` undoes it.`;
    }
    const sums = { move: moveId ?? null, looked_at: examined, ...report.fields, below, elsewhere };
    await call.output.answer(sums, sentence);
    if (notMoved === '' || (dryRun && call.output.isReaderGone)) return;
    throw new ClearError(`not every mirror ${dryRun ? 'would be' : 'was'} ${plan.done}: ${notMoved}`);
  };
  await operator.acting(carry, { pace: 'in-steps', state: () => state });
}

/** Asks before live mirrors are changed, unless there are none to change. @throws ClearError; Interrupted */
async function confirmMove(call: Call, plan: Plan, report: MoveReport): Promise<void> {
  const { example, toMove, notMoved } = report;
  if (!example) return;
  const such = `such as that of campaign ${example.campaign} to ${example.after}`;
  const question = `${plan.done === 'set' ? 'Set' : 'Move'} ${toMove} ${plan.direction}, ${such}?`;
  const parts = [question, notMoved && `Not ${plan.done}: ${notMoved}.`, plan.left?.(report)];
  await confirmed(call, parts.filter(Boolean).join(' '));
  call.throwIfStopped('Nothing was done.');
}

/** @throws ClearError when the move is invalid */
async function movePlan(
  mirrors: MirrorMoves,
  from: Host,
  to: Host,
  { subdomains, ...options }: { subdomains: boolean; includeDefault: boolean; owner?: domain.OwnerId },
  denied: domain.HostList,
): Promise<Plan> {
  const move = { from: from.name, to, subdomains };
  const fault = hostMoveFault(move, denied);
  if (fault) throw refused(fault, from.written, to.written);
  const whose = options.owner ? ` of the owner ${options.owner}` : '';
  return {
    events: (dryRun) => moveMirrors({ ...options, mirrors, denied, dryRun }, move),
    total: await mirrors.count(options.owner),
    move,
    done: 'moved',
    direction: `from ${from.written} to ${to.written}`,
    none: `No mirror${whose} is on ${from.written}${subdomains ? ' or a name below it' : ''}.`,
    left: (report) => leftOut(report, from, 'moves'),
  };
}

/** @throws ClearError when there is no such move */
async function undoingPlan(
  moves: MirrorMoves,
  move: AuditId,
  includeDefault: boolean,
  denied: domain.HostList,
): Promise<Plan> {
  let by = await moves.undoneBy(move);
  if (by === undefined)
    throw new ClearError(`there is no move ${move}: \`./campaign-mirror audit\` shows the numbers of moves`);
  // An undo may have been undone itself.
  let last = move;
  let isUndone = false;
  for (; by; by = await moves.undoneBy(by)) {
    last = by;
    isUndone = !isUndone;
  }
  return {
    events: (dryRun) => undoMove({ mirrors: moves, denied, includeDefault, dryRun }, move),
    done: 'moved',
    direction: `back as before move ${move}`,
    none: `Move ${move} has nothing to undo.`,
    ...(last !== move && {
      refuse: ({ counts: { unchanged, 'changed-since': changed, ...others } }) => {
        if (Object.values(others).some((count) => count > 0)) return;
        const command = `\`./campaign-mirror mirror move --undo ${last}\``;
        throw new ClearError(
          isUndone
            ? `move ${move} was undone already, by move ${last}: ${command} makes it again`
            : `move ${move} was undone, and made again by move ${last}: ${command} undoes it`,
        );
      },
    }),
  };
}

/** Why a move is invalid, and what to do instead. */
function refused(fault: HostMoveFault, from: string, to: string): ClearError {
  switch (fault) {
    case 'no-names-below':
      return new ClearError('an IP address has no names below it: leave out --subdomains', 'usage');
    case 'denied-host':
      return new ClearError(`--to-host: the host denylist contains ${to}`);
    case 'matches-itself':
      return new ClearError(
        `${to} matches ${from}, so a mirror that was moved would be moved again: use another --to-host`,
      );
  }
}
