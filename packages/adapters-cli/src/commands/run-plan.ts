import * as operators from '@campaign-mirror/domain/operator';
import type { Call, ProgressBar } from '../terminal/call.ts';
import { ClearError, counted, printable } from '../terminal/errors.ts';
import { notSetText } from './messages.ts';
import type { ActContext, OperatorAccess, OperatorPorts } from './operator-access.ts';

/** The mirrors that a command changes, and its texts. */
export interface Plan {
  readonly act: operators.MirrorAct;
  batches(): AsyncIterable<operators.DesiredBatch>;
  readonly verb: 'move' | 'set';
  /** Such as `from old.example to new.example`. */
  readonly direction: string;
  /** The text if there is nothing to change. */
  readonly none: string;
  /** The number of mirrors to examine, if known. */
  readonly total?: number;
  /** Lines of a file that name no mirror. */
  readonly invalid?: readonly InvalidLine[];
  /** Called with each outcome before the question. */
  shown?(outcome: operators.ChangeOutcome): void;
  /** Says which mirrors the command leaves out; may be empty. */
  warning?(): string;
  /** Further fields of the summary in JSON. */
  fields?(): object;
}

export type InvalidLine = { readonly line: number; readonly because: string };

/** The outcome for a mirror, or for an invalid line, which has no campaign. */
type Result =
  | operators.ChangeOutcome
  | (InvalidLine & { readonly outcome: 'not-set'; readonly campaign?: never });

class Summary {
  examined = 0;
  example: operators.ChangeOutcome | undefined;
  readonly outcomes = { set: 0, 'would-set': 0, unchanged: 0, 'not-set': 0 };
  readonly #reasons = new Map<string, number>();

  add(result: Result): void {
    this.outcomes[result.outcome] += 1;
    if (result.outcome === 'would-set') this.example ??= result;
    if (!result.because) return;
    const by = result.campaign && result.by ? ` by ${result.by}` : '';
    const reason = result.campaign ? result.because + by : 'in-invalid-lines';
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
  }

  /** Such as `2 default campaign, 1 locked`; empty if every mirror was set. */
  get notSet(): string {
    return [...this.#reasons].map(([reason, count]) => `${count} ${reason.replaceAll('-', ' ')}`).join(', ');
  }

  /** The command that may set the rest; it may be empty. */
  get remedy(): string {
    const moves = [...this.#reasons.keys()].map((reason) => Number(/by move (\d+)$/.exec(reason)?.[1] ?? 0));
    const last = Math.max(...moves);
    if (last > 0) return `: \`./campaign-mirror mirror move --undo ${last}\` first undoes move ${last}`;
    return this.#reasons.has('locked') || this.#reasons.has('changed-meanwhile') ? ': run it again' : '';
  }
}

const verbs = {
  move: { done: 'moved', doing: 'moving', Do: 'Move' },
  set: { done: 'set', doing: 'setting', Do: 'Set' },
} as const;

/** Asks, unless `yes`, and sets the mirrors. @throws ClearError, also if a mirror was not set; Interrupted */
export async function runPlan(
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
    const { done, doing, Do } = verbs[plan.verb];
    const wereSet = ({ outcomes }: Summary) =>
      `${counted(outcomes.set, 'mirror was', 'mirrors were')} ${done}`;
    const soFar = (sum: Summary) => `${wereSet(sum)}${mirrors.moveId ? ` (move ${mirrors.moveId})` : ''}`;
    const run = async (isDry: boolean, prints: boolean) => {
      const sum = new Summary();
      let bar: ProgressBar | undefined;
      if (!isDry) state = () => `${soFar(sum)} for certain`;
      const take = async (result: Result) => {
        sum.add(result);
        if (!prints) return result.campaign && plan.shown?.(result);
        if (output.json) return output.object(objectOf(plan, result));
        const text = textOf(plan, result);
        if (text === '') return;
        // The line replaces the bar; the next progress draws another one.
        bar?.stop();
        bar = undefined;
        await output.print(text);
      };
      for (const line of plan.invalid ?? []) await take({ ...line, outcome: 'not-set' });
      const options = { mirrors, denied: context.deniedHosts, act: plan.act, dryRun: isDry };
      try {
        for await (const step of operators.changeMirrors(options, plan.batches())) {
          if ('outcome' in step) await take(step);
          else {
            sum.examined = step.examined;
            bar ??= await call.progress(isDry ? 'examining' : doing, plan.total);
            bar.update(step.examined);
            call.throwIfStopped(
              isDry ? 'Stopped. Nothing was done.' : `Stopped: ${soFar(sum)}. Run it again to go on.`,
            );
          }
          if (isDry && output.isReaderGone) break;
        }
      } finally {
        bar?.stop();
      }
      return sum;
    };

    if (!dryRun && !yes) {
      const { outcomes, example, notSet } = await run(true, false);
      if (example) {
        const such = `such as that of campaign ${example.campaign} to ${example.after}`;
        const question = `${Do} ${counted(outcomes['would-set'], 'mirror')} ${plan.direction}, ${such}?`;
        const parts = [question, notSet && `Not ${done}: ${notSet}.`, plan.warning?.()];
        await call.confirm(parts.filter(Boolean).join(' '));
      }
    }
    const sum = await run(dryRun, true);
    await output.notice(plan.warning?.() ?? '');
    const { outcomes, examined, notSet } = sum;
    const { moveId } = mirrors;
    let sentence = plan.none;
    if (dryRun && (notSet || sum.example))
      sentence = `${counted(outcomes['would-set'], 'mirror')} would be ${done} ${plan.direction}; nothing was done.`;
    else if (notSet || outcomes.set > 0) sentence = `${wereSet(sum)} ${plan.direction}.`;
    if (moveId)
      sentence += ` This is move ${moveId}: \`./campaign-mirror mirror move --undo ${moveId}\` undoes it.`;
    const counts: Record<string, number> = {};
    for (const [name, count] of Object.entries(outcomes))
      counts[nameOf(name, plan).replace('-', '_')] = count;
    const sums = { move: moveId ?? null, looked_at: examined, ...counts, ...plan.fields?.() };
    await output.answer(sums, sentence);
    if (notSet === '' || (dryRun && output.isReaderGone)) return;
    const fault = `not every mirror ${dryRun ? 'would be' : 'was'} ${done}: ${notSet}`;
    throw new ClearError(fault + (dryRun ? '' : sum.remedy));
  };
  await operator.withPorts(act, { pace: 'in-steps', state: () => state() });
}

const nameOf = (outcome: string, { verb }: Plan) =>
  verb === 'move' && outcome !== 'unchanged'
    ? outcome.replace('set', outcome === 'would-set' ? 'move' : 'moved')
    : outcome;

function objectOf(plan: Plan, result: Result): object {
  const { line, because } = result;
  const outcome = nameOf(result.outcome, plan);
  if (!result.campaign) return { line, outcome, because };
  const { campaign, before, after, by } = result;
  return { line, campaign_id: campaign, outcome, before, after, because, by };
}

/** A line for people; empty if the summary is enough. */
function textOf({ verb }: Plan, result: Result): string {
  const { line, campaign, outcome, because } = result;
  const place = line === undefined ? '' : `line ${line}: `;
  if (!campaign) return `${place}${because}`;
  if (outcome === 'would-set')
    return `${place}campaign ${campaign}: ${printable(result.before ?? '')} → ${printable(result.after ?? '')}`;
  if (!because) return '';
  const hint = verb === 'move' && because === 'default-campaign' ? '; --include-default moves it, too' : '';
  return `${place}campaign ${campaign} is not ${verbs[verb].done}: ${notSetText(because, result)}${hint}`;
}
