import {
  type ChangedMirror,
  type Changing,
  changeMirrors,
  type MirrorAct,
  type OperatorMirrors,
  type WantedPage,
} from '@campaign-mirror/domain/operator';
import type { Call } from '../terminal/call.ts';
import { ClearError, counted, printable } from '../terminal/errors.ts';
import { confirmed } from '../terminal/prompt.ts';
import type { ActContext, OperatorAccess } from './ports.ts';
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
  readonly fields?: object;
  /** Said instead, if nothing can be changed because it was changed already. */
  readonly isDone?: string | undefined;
}

export interface InvalidLine {
  readonly line: number;
  readonly because: string;
}

/** The results of a run so far. */
interface Sum {
  examined: number;
  readonly outcomes: Record<ChangedMirror['outcome'], number>;
  /** How often which reason kept a mirror from being set. */
  readonly reasons: Map<string, number>;
  example?: ChangedMirror;
}

const past = { move: 'moved', set: 'set' } as const;

/**
 * Asks, unless it is told not to, then changes the mirrors, or shows what would be changed: a line for each mirror that is
 * not set, and one sum. @throws ClearError, also if not every mirror was set; Interrupted
 */
export async function changeMany(
  call: Call,
  operator: OperatorAccess,
  planOf: (mirrors: OperatorMirrors, context: ActContext) => Promise<Plan>,
  { dryRun, yes }: { readonly dryRun: boolean; readonly yes: boolean },
): Promise<void> {
  const { output } = call;
  let state = () => 'nothing was done';
  const act = async ({ mirrors }: { readonly mirrors: OperatorMirrors }, context: ActContext) => {
    const plan = await planOf(mirrors, context);
    const done = past[plan.verb];
    const setSoFar = ({ outcomes }: Sum) => {
      const set = `${counted(outcomes.set, 'mirror was', 'mirrors were')} ${done}`;
      return mirrors.moveId ? `${set} (move ${mirrors.moveId})` : set;
    };
    const run = async (isDry: boolean, each: (mirror: ChangedMirror) => Promise<void> | void) => {
      const sum = emptySum(plan);
      const stopped = () =>
        isDry ? 'Stopped. Nothing was done.' : `Stopped: ${setSoFar(sum)}. Run it again to go on.`;
      if (!isDry) state = () => `${setSoFar(sum)} for certain`;
      const changing = { mirrors, denied: context.deniedHosts, act: plan.act, dryRun: isDry };
      await takeAll(call, plan, changing, sum, stopped, each);
      return sum;
    };

    const asks = !dryRun && !yes;
    if (asks || plan.isDone) {
      const found = await run(true, (mirror) => plan.shown?.(mirror));
      const { outcomes, reasons, example } = found;
      if (
        plan.isDone &&
        outcomes['would-set'] === 0 &&
        [...reasons.keys()].every((one) => one === 'changed-since')
      )
        throw new ClearError(plan.isDone);
      if (asks && example) {
        const such = `such as that of campaign ${example.campaign} to ${example.after}`;
        const verb = plan.verb === 'set' ? 'Set' : 'Move';
        const question = `${verb} ${counted(outcomes['would-set'], 'mirror')} ${plan.direction}, ${such}?`;
        const left = notSet(found);
        await confirmed(
          call,
          [question, left && `Not ${done}: ${left}.`, plan.left?.()].filter(Boolean).join(' '),
        );
        call.throwIfStopped('Nothing was done.');
      }
    }
    for (const line of plan.invalid ?? []) await print(call, plan, { ...line, outcome: 'not-set' });
    const sum = await run(dryRun, (mirror) => print(call, plan, mirror));
    await output.note(plan.left?.() ?? '');

    const { outcomes } = sum;
    const left = notSet(sum);
    let sentence = plan.none;
    if (left || outcomes.set + outcomes['would-set'] > 0)
      sentence = dryRun
        ? `${counted(outcomes['would-set'], 'mirror')} would be ${done} ${plan.direction}; nothing was done.`
        : `${counted(outcomes.set, 'mirror was', 'mirrors were')} ${done} ${plan.direction}.`;
    const { moveId } = mirrors;
    if (moveId)
      sentence += ` This is move ${moveId}: \`./campaign-mirror mirror move --undo ${moveId}\` undoes it.`;
    const counts = Object.entries(outcomes).map(([name, count]) => [
      nameOf(name, plan).replace('-', '_'),
      count,
    ]);
    const fields = { move: moveId ?? null, looked_at: sum.examined, ...Object.fromEntries(counts) };
    await output.answer({ ...fields, ...plan.fields }, sentence);
    if (left === '' || (dryRun && output.isReaderGone)) return;
    throw new ClearError(`not every mirror ${dryRun ? 'would be' : 'was'} ${done}: ${left}`);
  };
  await operator.acting(act, { pace: 'in-steps', state: () => state() });
}

function emptySum({ invalid = [] }: Plan): Sum {
  const outcomes = { set: 0, 'would-set': 0, unchanged: 0, 'not-set': invalid.length };
  const reasons = new Map(invalid.length > 0 ? [['in-invalid-lines', invalid.length]] : []);
  return { examined: 0, outcomes, reasons };
}

/** @throws Interrupted between two steps, with the text of `stopped` */
async function takeAll(
  call: Call,
  plan: Plan,
  changing: Changing,
  sum: Sum,
  stopped: () => string,
  each: (mirror: ChangedMirror) => Promise<void> | void,
): Promise<void> {
  const bar = await call.progress(changing.dryRun ? 'examining' : `${plan.verb}ing`, plan.total);
  try {
    for await (const step of changeMirrors(changing, plan.pages())) {
      if ('examined' in step) {
        sum.examined = step.examined;
        bar.update(step.examined);
        call.throwIfStopped(stopped());
      } else {
        sum.outcomes[step.outcome] += 1;
        if (step.because) sum.reasons.set(step.because, (sum.reasons.get(step.because) ?? 0) + 1);
        if (step.outcome === 'would-set') sum.example ??= step;
        await each(step);
      }
      if (changing.dryRun && call.output.isReaderGone) break;
    }
  } finally {
    bar.stop();
  }
}

/** Such as `2 default campaign, 1 locked`; empty if every mirror was set. */
const notSet = ({ reasons }: Sum) =>
  [...reasons].map(([because, count]) => `${count} ${because.replaceAll('-', ' ')}`).join(', ');

/** An outcome in the words of the command. */
const nameOf = (outcome: string, { verb }: Plan) =>
  verb === 'set'
    ? outcome
    : ({ set: 'moved', 'would-set': 'would-move', 'not-set': 'not-moved' }[outcome] ?? outcome);

/** Each result in JSON; for people, those of which the sum says too little. */
async function print(
  { output }: Call,
  plan: Plan,
  result: ChangedMirror | (InvalidLine & { outcome: 'not-set' }),
) {
  const { line, outcome, because } = result;
  const isMirror = 'campaign' in result;
  if (output.json) {
    const mirror = isMirror && { campaign_id: result.campaign, before: result.before, after: result.after };
    return output.object({ line, outcome: nameOf(outcome, plan), ...mirror, because });
  }
  if (outcome === 'set' || outcome === 'unchanged') return;
  const place = line === undefined ? '' : `line ${line}: `;
  if (!isMirror) return output.print(`${place}${because}`);
  const { campaign, before, after } = result;
  const mirror = `campaign ${campaign}`;
  if (result.because === undefined)
    return output.print(`${place}${mirror}: ${printable(before ?? '')} → ${printable(after ?? '')}`);
  const isDefault = plan.verb === 'move' && result.because === 'default-campaign';
  const hint = isDefault ? '; --include-default moves it, too' : '';
  const reason = notSetReason(result.because, campaign, before);
  return output.print(`${place}${mirror} is not ${past[plan.verb]}: ${reason}${hint}`);
}
