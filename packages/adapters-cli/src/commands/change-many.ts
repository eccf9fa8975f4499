import {
  type ChangedMirror,
  changeMirrors,
  type MirrorAct,
  type WantedPage,
} from '@campaign-mirror/domain/operator';
import type { Call, Progress } from '../terminal/call.ts';
import { ClearError, counted, printable } from '../terminal/errors.ts';
import { confirmed } from '../terminal/prompt.ts';
import type { ActContext, OperatorAccess, OperatorPorts } from './ports.ts';
import { notSetReason } from './words.ts';

/** Which mirrors a command changes, and its texts. */
export interface Plan {
  readonly act: MirrorAct;
  /** The mirrors, each time anew. */
  pages(): AsyncIterable<WantedPage>;
  readonly verb: 'move' | 'set';
  /** Such as `from old.example to new.example`. */
  readonly direction: string;
  /** Printed if there is nothing to change. */
  readonly none: string;
  /** How many mirrors are examined, if that is known before. */
  readonly total?: number;
  /** Lines of a file that name no mirror, and why. */
  readonly invalid?: readonly InvalidLine[];
  /** Gets each mirror as the question is about it. */
  shown?(mirror: ChangedMirror): void;
  /** What is left as it is, although the user may expect it to change; empty if there is nothing. */
  left?(): string;
  /** More of the sum in JSON. */
  fields?(): object;
  /** Said instead, if nothing can be changed because it was changed already. */
  readonly isDone?: string | undefined;
}

export interface InvalidLine {
  readonly line: number;
  readonly because: string;
}

type Result = ChangedMirror | (InvalidLine & { readonly outcome: 'not-set' });

/** The results of a run so far. */
class Sum {
  examined = 0;
  example: ChangedMirror | undefined;
  readonly outcomes = { set: 0, 'would-set': 0, unchanged: 0, 'not-set': 0 };
  readonly reasons = new Map<string, number>();

  add(result: Result): void {
    const { outcome } = result;
    const because = 'campaign' in result ? result.because : 'in-invalid-lines';
    const by = 'campaign' in result && result.by ? ` by ${result.by}` : '';
    this.outcomes[outcome] += 1;
    if (because) this.reasons.set(because + by, (this.reasons.get(because + by) ?? 0) + 1);
    if (outcome === 'would-set') this.example ??= result;
  }

  /** Such as `2 default campaign, 1 locked`; empty if every mirror was set. */
  get left(): string {
    return [...this.reasons].map(([because, count]) => `${count} ${because.replaceAll('-', ' ')}`).join(', ');
  }

  /** What to do about those that were not set, if a command does it. */
  get remedy(): string {
    const moves = [...this.reasons.keys()].map((because) =>
      Number(/by move ([0-9]+)$/.exec(because)?.[1] ?? 0),
    );
    const last = Math.max(...moves);
    if (last > 0) return `: \`./campaign-mirror mirror move --undo ${last}\` first undoes move ${last}`;
    return this.reasons.has('locked') || this.reasons.has('changed-meanwhile') ? ': run it again' : '';
  }
}

const words = {
  move: { done: 'moved', doing: 'moving', Do: 'Move' },
  set: { done: 'set', doing: 'setting', Do: 'Set' },
} as const;

/**
 * Asks, unless it is told not to, then changes the mirrors, or shows what would be changed: a line for each mirror that is
 * not set, and one sum. @throws ClearError, also if not every mirror was set; Interrupted
 */
export async function changeMany(
  call: Call,
  operator: OperatorAccess,
  planOf: (ports: OperatorPorts, context: ActContext) => Promise<Plan>,
  { dryRun, yes }: { readonly dryRun: boolean; readonly yes: boolean },
): Promise<void> {
  const { output } = call;
  let state = () => 'nothing was done';
  const act = async (ports: OperatorPorts, context: ActContext) => {
    const plan = await planOf(ports, context);
    const { mirrors } = ports;
    const { done, doing, Do } = words[plan.verb];
    const wereSet = ({ outcomes }: Sum) => `${counted(outcomes.set, 'mirror was', 'mirrors were')} ${done}`;
    const soFar = (sum: Sum) => `${wereSet(sum)}${mirrors.moveId ? ` (move ${mirrors.moveId})` : ''}`;
    const run = async (isDry: boolean, prints: boolean) => {
      const sum = new Sum();
      let bar: Progress | undefined;
      if (!isDry) state = () => `${soFar(sum)} for certain`;
      const take = async (result: Result) => {
        sum.add(result);
        if (!prints) return 'campaign' in result && plan.shown?.(result);
        if (output.json) return output.object(objectOf(plan, result));
        const text = textOf(plan, result);
        if (text === '') return;
        // The line replaces the bar; the next progress draws another one.
        bar?.stop();
        bar = undefined;
        await output.print(text);
      };
      for (const line of plan.invalid ?? []) await take({ ...line, outcome: 'not-set' });
      const changing = { mirrors, denied: context.deniedHosts, act: plan.act, dryRun: isDry };
      const stopped = () =>
        isDry ? 'Stopped. Nothing was done.' : `Stopped: ${soFar(sum)}. Run it again to go on.`;
      try {
        for await (const step of changeMirrors(changing, plan.pages())) {
          if ('outcome' in step) await take(step);
          else {
            sum.examined = step.examined;
            bar ??= await call.progress(isDry ? 'examining' : doing, plan.total);
            bar.update(step.examined);
            call.throwIfStopped(stopped());
          }
          if (isDry && output.isReaderGone) break;
        }
      } finally {
        bar?.stop();
      }
      return sum;
    };

    const asks = !dryRun && !yes;
    if (asks || plan.isDone) {
      const { outcomes, reasons, example, left } = await run(true, false);
      const toSet = outcomes['would-set'];
      if (plan.isDone && toSet === 0 && [...reasons.keys()].every((one) => one.startsWith('changed-since')))
        throw new ClearError(plan.isDone);
      if (asks && example) {
        const such = `such as that of campaign ${example.campaign} to ${example.after}`;
        const question = `${Do} ${counted(toSet, 'mirror')} ${plan.direction}, ${such}?`;
        await confirmed(
          call,
          [question, left && `Not ${done}: ${left}.`, plan.left?.()].filter(Boolean).join(' '),
        );
        call.throwIfStopped('Nothing was done.');
      }
    }
    const sum = await run(dryRun, true);
    await output.note(plan.left?.() ?? '');
    const { outcomes, examined, left } = sum;
    const { moveId } = mirrors;
    let sentence = plan.none;
    if (dryRun && (left || sum.example))
      sentence = `${counted(outcomes['would-set'], 'mirror')} would be ${done} ${plan.direction}; nothing was done.`;
    else if (left || outcomes.set > 0) sentence = `${wereSet(sum)} ${plan.direction}.`;
    if (moveId)
      sentence += ` This is move ${moveId}: \`./campaign-mirror mirror move --undo ${moveId}\` undoes it.`;
    const counts = Object.entries(outcomes).map(([name, count]) => [
      nameOf(name, plan).replace('-', '_'),
      count,
    ]);
    const sums = { move: moveId ?? null, looked_at: examined, ...Object.fromEntries(counts) };
    await output.answer({ ...sums, ...plan.fields?.() }, sentence);
    if (left === '' || (dryRun && output.isReaderGone)) return;
    const not = `not every mirror ${dryRun ? 'would be' : 'was'} ${done}: ${left}`;
    throw new ClearError(not + (dryRun ? '' : sum.remedy));
  };
  await operator.acting(act, { pace: 'in-steps', state: () => state() });
}

/** An outcome in the words of the command. */
const nameOf = (outcome: string, { verb }: Plan) =>
  verb === 'move' && outcome !== 'unchanged'
    ? outcome.replace('set', outcome === 'would-set' ? 'move' : 'moved')
    : outcome;

function objectOf(plan: Plan, result: Result): object {
  const { line, because } = result;
  const outcome = nameOf(result.outcome, plan);
  if (!('campaign' in result)) return { line, outcome, because };
  const { campaign, before, after, by } = result;
  return { line, campaign_id: campaign, outcome, before, after, because, by };
}

/** For people; empty where the sum says enough. */
function textOf({ verb }: Plan, result: Result): string {
  const { line, outcome, because } = result;
  const place = line === undefined ? '' : `line ${line}: `;
  if (!('campaign' in result)) return `${place}${because}`;
  const { campaign, before, after } = result;
  if (outcome === 'would-set')
    return `${place}campaign ${campaign}: ${printable(before ?? '')} → ${printable(after ?? '')}`;
  if (!result.because) return '';
  const hint = verb === 'move' && because === 'default-campaign' ? '; --include-default moves it, too' : '';
  const reason = notSetReason(result.because, result);
  return `${place}campaign ${campaign} is not ${words[verb].done}: ${reason}${hint}`;
}
