import type {
  Host,
  MirrorMoved,
  MoveMirrorsRequest,
  MoveProgress,
  Unavailable,
} from '@campaign-mirror/domain';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/clear-error.ts';
import { counted } from '../terminal/counted.ts';
import { printable } from '../terminal/escapes.ts';
import { type Progress, progress } from '../terminal/progress.ts';
import { cutOff, type UndoneBy } from '../words/cut-off.ts';
import { reasonOf } from '../words/move-refusals.ts';

/**
 * The output of a move: one line for each mirror (in a terminal only for mirrors that were not moved), then the totals.
 */
export class MoveReport {
  readonly #call: Call;
  readonly #request: MoveMirrorsRequest;
  readonly #from: Host;
  readonly #json: boolean;
  readonly #counts = {
    moved: 0,
    'would-move': 0,
    refused: 0,
    invalid: 0,
    'changed-meanwhile': 0,
    held: 0,
  } satisfies Record<MirrorMoved['kind'], number>;
  #looked = 0;
  #bar: Progress | undefined;

  constructor(call: Call, request: MoveMirrorsRequest, from: Host, json = false) {
    this.#call = call;
    this.#request = request;
    this.#from = from;
    this.#json = json;
  }

  async tell(event: MirrorMoved | MoveProgress): Promise<void> {
    if (event.kind === 'progress') {
      this.#looked = event.looked;
      this.#bar ??= progress(this.#call, this.#request.dryRun ? 'looking' : 'moving', event.total);
      this.#bar.at(event.looked);
      return;
    }
    this.#counts[event.kind] += 1;
    const sentence = sentenceOf(event);
    if (!this.#json && sentence === undefined) return;
    const { output } = this.#call;
    if (output.isTerminal) this.#bar?.aside();
    await output.answer(this.#json, objectOf(event), sentence ?? '');
  }

  endProgress(): void {
    this.#bar?.stop();
  }

  /** The message after Ctrl-C. */
  stopped(): string {
    if (this.#request.dryRun) return 'Stopped. Nothing was done.';
    return `Stopped: ${this.#done()}. Run it again to go on.`;
  }

  /** The message when the database ended the move. */
  cutOff(cause: Unavailable, undoneBy: UndoneBy): ClearError {
    return cutOff(cause, this.#request.dryRun ? undefined : this.#done(), undoneBy);
  }

  #done(): string {
    return `${counted(this.#counts.moved, 'mirror was', 'mirrors were')} moved`;
  }

  /** @throws ClearError when mirrors on the host were not moved */
  async sum(): Promise<void> {
    const counts = this.#counts;
    const each = Object.entries(counts).map(([kind, count]) => [kind.replace('-', '_'), count]);
    const object = { looked_at: this.#looked, ...Object.fromEntries(each) };
    await this.#call.output.answer(this.#json, object, this.#sum());
    const left = (['refused', 'invalid', 'changed-meanwhile', 'held'] as const).filter(
      (kind) => counts[kind] > 0,
    );
    if (left.length === 0) return;
    const why = left.map((kind) => `${counts[kind]} ${kind.replace('-', ' ')}`).join(', ');
    throw new ClearError(`not every mirror ${this.#request.dryRun ? 'would be' : 'was'} moved: ${why}`);
  }

  #sum(): string {
    const { move, owner, dryRun } = this.#request;
    const from = `${this.#from.written}${move.subdomains ? ' or a name below it' : ''}`;
    const whose = owner ? ` of the owner ${owner}` : '';
    if (Object.values(this.#counts).every((count) => count === 0)) return `No mirror${whose} is on ${from}.`;
    const to = `moved from ${this.#from.written} to ${move.to.written}`;
    if (dryRun) return `${counted(this.#counts['would-move'], 'mirror')} would be ${to}; nothing was done.`;
    return `${counted(this.#counts.moved, 'mirror was', 'mirrors were')} ${to}.`;
  }
}

/** The JSON output. */
function objectOf(mirror: MirrorMoved): object {
  const { campaign, kind, before, after } = mirror;
  const because = 'because' in mirror && { because: mirror.because };
  return { campaign_id: campaign, outcome: kind, before, after: after ?? null, ...because };
}

/** The output for people: undefined for a mirror that was moved as requested. */
function sentenceOf(mirror: MirrorMoved): string | undefined {
  const before = `campaign ${mirror.campaign}: ${printable(mirror.before)}`;
  if (mirror.kind === 'moved') return undefined;
  if (mirror.kind === 'would-move') return `${before} → ${printable(mirror.after)}`;
  return `${before} is not moved: ${reasonOf(mirror)}`;
}
