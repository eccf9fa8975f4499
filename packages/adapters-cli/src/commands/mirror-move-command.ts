import type * as domain from '@campaign-mirror/domain';
import * as given from '../terminal/arguments.ts';
import { leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, counted } from '../terminal/errors.ts';
import { confirmed } from '../terminal/prompt.ts';
import { MoveReport } from './move-report.ts';
import type { AddressTerms, OperatorAccess, OperatorPorts } from './operator.ts';
import { cutOff } from './words.ts';

/** What a move or its undoing does, and how it is said. */
interface Moving {
  /** With `dryRun` nothing is written. */
  events(dryRun: boolean): AsyncIterable<domain.MirrorMoved | domain.MoveProgress>;
  /** Such as `from old.example to new.example`. */
  readonly how: string;
  /** Said where no mirror is concerned. */
  readonly none: string;
  /** What the user should look at before it begins; empty for nothing. */
  doubts(seen: MoveReport): string;
  /** The move that undid this one before. */
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
      given.host,
    )
    .option('--to-host <host>', 'the host to move to, spelled as given; required without --undo', given.host)
    .option('--subdomains', 'also move every name below it: x.old.example becomes x.new.example')
    .option('--owner <n>', "only mirrors of this owner's campaigns", given.owner)
    .option('--include-default', 'also move mirrors of default campaigns, which otherwise are not moved')
    .option(
      '--undo <move>',
      'give the mirrors of this move their addresses back, unless they were changed since',
      given.audit,
    )
    .option('--dry-run', 'show each address before and after, and change nothing')
    .option('--yes', 'do not ask')
    .action(async ({ undo, includeDefault = false, dryRun = false, yes = false, json, ...hosts }) => {
      const { fromHost: from, toHost: to, subdomains = false, owner } = hosts;
      const isOfHosts = Object.values(hosts).some((one) => one !== undefined);
      if (undo === undefined ? !from || !to : isOfHosts)
        throw new ClearError('either --from-host and --to-host are needed, or --undo alone', 'usage');
      const domain = await import('@campaign-mirror/domain');
      const movingWith = async ({ moves }: OperatorPorts, { deniedHosts }: AddressTerms): Promise<Moving> => {
        if (!from || !to) {
          const undoneBy = await moves.undoneBy(undo as domain.AuditId);
          return { ...undoing(new domain.UndoMove(moves, deniedHosts), undo, includeDefault), undoneBy };
        }
        const move = domain.hostMove(from, to, subdomains, deniedHosts);
        if ('fault' in move) throw refused(move.fault, from.written, to.written);
        const request = { move, includeDefault, ...(owner && { owner }) };
        return hostMoving(new domain.MoveMirrors(moves, deniedHosts), request, from);
      };
      const act = async (ports: OperatorPorts, terms: AddressTerms) => {
        const moving = await movingWith(ports, terms);
        const moveId = () => ports.moves.moveId;
        const told = async (isDry: boolean, isShown: boolean) => {
          const report = new MoveReport(call, { json, isDry, isShown, subdomains, moveId });
          return report.take(moving.events(isDry)).catch((error) => {
            throw cutOff(error, isDry ? undefined : report.movedSoFar, terms.undoneBy);
          });
        };
        if (!dryRun && !yes) await confirmedAsSeen(call, moving, await told(true, false));
        return { moving, report: await told(dryRun, true) };
      };
      const { moving, report } = await operator.acting(act, {
        pace: undo === undefined ? 'in-steps' : 'unhurried',
      });
      if (dryRun) await call.output.note(moving.doubts(report));
      await end(call, report, moving, { json, dryRun });
    });
}

/** Asks before live mirrors are changed, unless there are none to change. @throws ClearError; Interrupted */
async function confirmedAsSeen(call: Call, { how, doubts }: Moving, seen: MoveReport): Promise<void> {
  const { example, toMove } = seen;
  if (!example) return;
  const such = `such as that of campaign ${example.campaign} to ${example.after}`;
  const question = `Move ${toMove} ${how}, ${such}? ${doubts(seen)}`;
  await confirmed(call, question.trim());
  call.interruption.throwIfInterrupted('Nothing was done.');
}

function hostMoving(
  act: domain.MoveMirrors,
  request: Omit<domain.MoveMirrorsRequest, 'dryRun'>,
  from: domain.Host,
): Moving {
  const { move, owner } = request;
  const to = move.to.written;
  const whose = owner ? ` of the owner ${owner}` : '';
  return {
    events: (dryRun) => act.execute({ ...request, dryRun }),
    how: `from ${from.written} to ${to}`,
    none: `No mirror${whose} is on ${from.written}${move.subdomains ? ' or a name below it' : ''}.`,
    doubts: ({ example, isTargetInUse }) =>
      example && !isTargetInUse ? `No mirror${whose} is on ${to} yet: check its spelling.` : '',
  };
}

function undoing(act: domain.UndoMove, move: domain.AuditId | undefined, includeDefault: boolean): Moving {
  const numbers = '`./campaign-mirror audit` shows the numbers of moves';
  return {
    async *events(dryRun) {
      for await (const event of act.execute({ move: move as domain.AuditId, includeDefault, dryRun })) {
        if (event.kind === 'move-not-found') throw new ClearError(`there is no move ${move}: ${numbers}`);
        yield event;
      }
    },
    how: `back as before move ${move}`,
    none: `Move ${move} has nothing to undo.`,
    doubts: ({ counts: { 'changed-since': changed } }) =>
      changed > 0 ? `${counted(changed, 'mirror was', 'mirrors were')} changed since, and will stay.` : '',
  };
}

async function end(
  { output }: Call,
  report: MoveReport,
  { how, none, undoneBy }: Moving,
  { json, dryRun }: { json: boolean | undefined; dryRun: boolean },
): Promise<void> {
  const { counts, looked, number = null } = report;
  const all = Object.entries(counts);
  const each = all.map(([kind, count]) => [kind.replace('-', '_'), count]);
  const would = `${report.toMove} would be moved ${how}; nothing was done.`;
  const undo =
    number && ` This is move ${number}: \`./campaign-mirror mirror move --undo ${number}\` undoes it.`;
  const isNone = all.every(([, count]) => count === 0);
  const sum = isNone ? none : dryRun ? would : `${report.moved} ${how}.${undo ?? ''}`;
  const object = { move: number, looked_at: looked, ...Object.fromEntries(each) };
  await output.answer(json, object, sum);
  const left = all.filter(([kind, count]) => count > 0 && kind !== 'moved' && kind !== 'would-move');
  if (left.length === 0 || (dryRun && output.isReaderGone)) return;
  const why = left.map(([kind, count]) => `${count} ${kind.replace('-', ' ')}`).join(', ');
  const before = undoneBy ? `; this move was undone before, by move ${undoneBy}` : '';
  throw new ClearError(`not every mirror ${dryRun ? 'would be' : 'was'} moved: ${why}${before}`);
}

/** Why a move is invalid, and what to do instead. */
function refused(fault: domain.HostMoveFault, from: string, to: string): ClearError {
  if (fault === 'no-names-below')
    return new ClearError('an IP address has no names below it: leave out --subdomains', 'usage');
  if (fault === 'denied-host') return new ClearError(`--to-host: MIRROR_HOST_DENYLIST denies ${to}`);
  const because = `${to} matches ${from}, so a mirror that was moved would be moved again`;
  return new ClearError(`${because}: use another --to-host`);
}
