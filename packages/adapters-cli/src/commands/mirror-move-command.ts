import type * as domain from '@campaign-mirror/domain';
import * as parse from '../terminal/arguments.ts';
import { leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, counted } from '../terminal/errors.ts';
import { confirmed } from '../terminal/prompt.ts';
import { MoveReport } from './move-report.ts';
import type { ActContext, OperatorAccess, OperatorPorts } from './operator.ts';
import { cutOff } from './words.ts';

/** A move, or the undoing of one, and its texts. */
interface Plan {
  /** With `dryRun` nothing is written. */
  events(dryRun: boolean): AsyncIterable<domain.MirrorMoved | domain.MoveProgress>;
  /** Such as `from old.example to new.example`. */
  readonly direction: string;
  /** Printed if there is no mirror to move. */
  readonly none: string;
  /** What the user should check before it begins; empty if there is nothing to check. */
  warning(dryRun: MoveReport): string;
  /** The move that has undone this one already. */
  readonly undoneBy?: domain.AuditId | undefined;
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
    .action(async ({ undo, includeDefault = false, dryRun = false, yes = false, json, ...hosts }) => {
      const { fromHost: from, toHost: to, subdomains = false, owner } = hosts;
      const hasHostOption = Object.values(hosts).some((option) => option !== undefined);
      const isComplete = undo === undefined ? from && to : !hasHostOption;
      if (!isComplete)
        throw new ClearError('either --from-host and --to-host are needed, or --undo alone', 'usage');
      const domain = await import('@campaign-mirror/domain');
      const planWith = async ({ moves }: OperatorPorts, { deniedHosts }: ActContext): Promise<Plan> => {
        if (undo !== undefined) {
          const undoneBy = await moves.undoneBy(undo);
          return { ...undoingPlan(new domain.UndoMove(moves, deniedHosts), undo, includeDefault), undoneBy };
        }
        if (!from || !to) throw new TypeError('unreachable: both hosts are given');
        const move = domain.hostMove(from, to, subdomains, deniedHosts);
        if ('fault' in move) throw refused(move.fault, from.written, to.written);
        const request = { move, includeDefault, ...(owner && { owner }) };
        return movePlan(new domain.MoveMirrors(moves, deniedHosts), request, from);
      };
      const act = async (ports: OperatorPorts, context: ActContext) => {
        const plan = await planWith(ports, context);
        const moveId = () => ports.moves.moveId;
        const reportOf = async (dryRun: boolean, printsMirrors: boolean) => {
          const report = new MoveReport(call, { json, dryRun, printsMirrors, subdomains, moveId });
          return report.take(plan.events(dryRun)).catch((error) => {
            throw cutOff(error, dryRun ? undefined : report.movedSoFar, context.undoneBy);
          });
        };
        if (!dryRun && !yes) await confirmMove(call, plan, await reportOf(true, false));
        return { plan, report: await reportOf(dryRun, true) };
      };
      const pace = undo === undefined ? 'in-steps' : 'unhurried';
      const { plan, report } = await operator.acting(act, { pace });
      if (dryRun) await call.output.note(plan.warning(report));
      await printResult(call, report, plan, { json, dryRun });
    });
}

/** Asks before live mirrors are changed, unless there are none to change. @throws ClearError; Interrupted */
async function confirmMove(call: Call, { direction, warning }: Plan, report: MoveReport): Promise<void> {
  const { example, toMove } = report;
  if (!example) return;
  const such = `such as that of campaign ${example.campaign} to ${example.after}`;
  const question = `Move ${toMove} ${direction}, ${such}? ${warning(report)}`;
  await confirmed(call, question.trim());
  call.interruption.throwIfInterrupted('Nothing was done.');
}

function movePlan(
  moving: domain.MoveMirrors,
  request: Omit<domain.MoveMirrorsRequest, 'dryRun'>,
  from: domain.Host,
): Plan {
  const { move, owner } = request;
  const to = move.to.written;
  const whose = owner ? ` of the owner ${owner}` : '';
  return {
    events: (dryRun) => moving.execute({ ...request, dryRun }),
    direction: `from ${from.written} to ${to}`,
    none: `No mirror${whose} is on ${from.written}${move.subdomains ? ' or a name below it' : ''}.`,
    warning: ({ example, isTargetInUse }) =>
      example && !isTargetInUse ? `No mirror${whose} is on ${to} yet: check its spelling.` : '',
  };
}

function undoingPlan(undoing: domain.UndoMove, move: domain.AuditId, includeDefault: boolean): Plan {
  return {
    async *events(dryRun) {
      for await (const event of undoing.execute({ move, includeDefault, dryRun })) {
        if (event.kind === 'move-not-found') {
          throw new ClearError(
            `there is no move ${move}: \`./campaign-mirror audit\` shows the numbers of moves`,
          );
        }
        yield event;
      }
    },
    direction: `back as before move ${move}`,
    none: `Move ${move} has nothing to undo.`,
    warning: ({ counts: { 'changed-since': changed } }) =>
      changed > 0 ? `${counted(changed, 'mirror was', 'mirrors were')} changed since, and will stay.` : '',
  };
}

/** Prints the sums. @throws ClearError if not every mirror was moved */
async function printResult(
  { output }: Call,
  report: MoveReport,
  { direction, none, undoneBy }: Plan,
  { json, dryRun }: { json: boolean | undefined; dryRun: boolean },
): Promise<void> {
  const { counts, examined, moveId } = report;
  const all = Object.entries(counts);
  let sentence = none;
  if (all.some(([, count]) => count > 0)) {
    sentence = dryRun
      ? `${report.toMove} would be moved ${direction}; nothing was done.`
      : `${report.moved} ${direction}.`;
    if (moveId)
      sentence += ` This is move ${moveId}: \`./campaign-mirror mirror move --undo ${moveId}\` undoes it.`;
  }
  const fields = Object.fromEntries(all.map(([kind, count]) => [kind.replace('-', '_'), count]));
  await output.answer(json, { move: moveId ?? null, looked_at: examined, ...fields }, sentence);

  const notMoved = all.filter(([kind, count]) => count > 0 && kind !== 'moved' && kind !== 'would-move');
  if (notMoved.length === 0 || (dryRun && output.isReaderGone)) return;
  const why = notMoved.map(([kind, count]) => `${count} ${kind.replace('-', ' ')}`).join(', ');
  const before = undoneBy ? `; this move was undone before, by move ${undoneBy}` : '';
  throw new ClearError(`not every mirror ${dryRun ? 'would be' : 'was'} moved: ${why}${before}`);
}

/** Why a move is invalid, and what to do instead. */
function refused(fault: domain.HostMoveFault, from: string, to: string): ClearError {
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
