import type {
  AddressFault,
  Host,
  MirrorMoved,
  MoveMirrorsRequest,
  MoveProgress,
  OperatorRefusal,
} from '@campaign-mirror/domain';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { type Progress, progress } from '../terminal/progress.ts';
import { counted, printable } from '../terminal/text.ts';
import { cutOff, type UndoneBy } from '../words/cut-off.ts';

/**
 * The output of a move: one line for each mirror (for people only for mirrors that were not moved), then the totals.
 */
export class MoveReport {
  readonly #call: Call;
  readonly #request: MoveMirrorsRequest;
  readonly #from: Host;
  readonly #json: boolean;
  readonly #counts: Record<MirrorMoved['kind'], number> = {
    moved: 0,
    'would-move': 0,
    refused: 0,
    invalid: 0,
    'changed-meanwhile': 0,
    held: 0,
  };
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
    const { output } = this.#call;
    if (this.#json) return output.object(objectOf(event));
    if (event.kind === 'moved') return;
    // The line would stand behind the bar; the next progress draws another one.
    if (output.isTerminal) this.endProgress();
    await output.print(sentenceOf(event));
  }

  endProgress(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  /** The message after Ctrl-C. */
  stopped(): string {
    if (this.#request.dryRun) return 'Stopped. Nothing was done.';
    return `Stopped: ${this.#done()}. Run it again to go on.`;
  }

  /** What ends the move, with a message if the database did. */
  cutOff(error: unknown, undoneBy: UndoneBy): unknown {
    return cutOff(error, this.#request.dryRun ? undefined : this.#done(), undoneBy);
  }

  #done(): string {
    return `${counted(this.#counts.moved, 'mirror was', 'mirrors were')} moved`;
  }

  /** @throws ClearError when mirrors on the host were not moved */
  async sum(): Promise<void> {
    const counts = Object.entries(this.#counts);
    const each = counts.map(([kind, count]) => [kind.replace('-', '_'), count]);
    const object = { looked_at: this.#looked, ...Object.fromEntries(each) };
    await this.#call.output.answer(this.#json, object, this.#sum());
    const left = counts.filter(([kind, count]) => kind !== 'moved' && kind !== 'would-move' && count > 0);
    if (left.length === 0) return;
    const why = left.map(([kind, count]) => `${count} ${kind.replace('-', ' ')}`).join(', ');
    throw new ClearError(`not every mirror ${this.#request.dryRun ? 'would be' : 'was'} moved: ${why}`);
  }

  #sum(): string {
    const { move, owner, dryRun } = this.#request;
    const from = `${this.#from.written}${move.subdomains ? ' or a name below it' : ''}`;
    const whose = owner ? ` of the owner ${owner}` : '';
    if (Object.values(this.#counts).every((count) => count === 0)) return `No mirror${whose} is on ${from}.`;
    const to = `from ${this.#from.written} to ${move.to.written}`;
    if (!dryRun) return `${this.#done()} ${to}.`;
    return `${counted(this.#counts['would-move'], 'mirror')} would be moved ${to}; nothing was done.`;
  }
}

/** The JSON output. */
function objectOf(mirror: MirrorMoved): object {
  const { campaign, kind, before, after } = mirror;
  const because = 'because' in mirror && { because: mirror.because };
  return { campaign_id: campaign, outcome: kind, before, after: after ?? null, ...because };
}

/** The output for people. */
function sentenceOf(mirror: MirrorMoved): string {
  const before = `campaign ${mirror.campaign}: ${printable(mirror.before)}`;
  if (mirror.kind === 'would-move') return `${before} → ${printable(mirror.after)}`;
  const otherwise = mirror.kind === 'held' ? 'held' : 'changed-meanwhile';
  return `${before} is not moved: ${reasons['because' in mirror ? mirror.because : otherwise]}`;
}

/** Why a mirror is not moved. */
const reasons: Readonly<Record<OperatorRefusal | AddressFault | 'held' | 'changed-meanwhile', string>> = {
  'mirror-not-created': 'it was not created in the settings',
  'default-campaign': 'it is that of a default campaign; --include-default moves it, too',
  'too-long': 'its address would be longer than 2048 characters',
  'not-a-url': 'the new address would not be a valid mirror address',
  'denied-host': 'MIRROR_HOST_DENYLIST denies the host that it would have',
  held: 'another transaction holds it',
  'changed-meanwhile': 'the campaign or its mirror was changed meanwhile',
};
