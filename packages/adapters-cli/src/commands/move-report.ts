import type * as domain from '@campaign-mirror/domain';
import type { Call } from '../terminal/call.ts';
import { counted, printable } from '../terminal/errors.ts';
import type { Progress } from '../terminal/input-file.ts';
import { addressFaults } from './words.ts';

/** The maximum number of hosts that are counted: there can be any number of names below a host. */
const maxHosts = 10_000;

interface ReportOptions {
  readonly json: boolean | undefined;
  readonly dryRun: boolean;
  /** Whether to print each mirror; otherwise they are only counted. */
  readonly printsMirrors: boolean;
}

/** Prints the result for each mirror, and counts the results. */
export class MoveReport {
  readonly counts = {
    moved: 0,
    'would-move': 0,
    refused: 0,
    invalid: 0,
    'changed-meanwhile': 0,
    'changed-since': 0,
    locked: 0,
  };
  examined = 0;
  isTargetInUse = true;
  example: domain.MirrorMoved | undefined;
  moveId: domain.AuditId | undefined;
  /** Those of the mirrors that would be moved, up to `maxHosts` of them. */
  readonly #hosts = new Set<string>();
  readonly #call: Call;
  readonly #options: ReportOptions;
  #bar: Progress | undefined;

  constructor(call: Call, options: ReportOptions) {
    this.#call = call;
    this.#options = options;
  }

  /** Such as `2 mirrors were moved`. */
  get moved(): string {
    return `${counted(this.counts.moved, 'mirror was', 'mirrors were')} moved`;
  }

  /** Such as `2 mirrors were moved (move 17)`. */
  get movedSoFar(): string {
    return this.moveId ? `${this.moved} (move ${this.moveId})` : this.moved;
  }

  /** Such as `2 mirrors`, or `2 mirrors on 2 names` if they are on several. */
  get toMove(): string {
    const { size } = this.#hosts;
    const mirrors = counted(this.counts['would-move'], 'mirror');
    if (size <= 1) return mirrors;
    return `${mirrors} on ${size} names${size === maxHosts ? ' or more' : ''}`;
  }

  /** @throws Interrupted between two steps */
  async take(events: AsyncIterable<domain.MirrorMoved | domain.MoveProgress>): Promise<this> {
    const { dryRun } = this.#options;
    try {
      for await (const event of events) {
        if (event.kind === 'progress') await this.#takeProgress(event);
        else await this.#takeMirror(event);
        if (dryRun && this.#call.output.isReaderGone) break;
      }
      return this;
    } finally {
      this.#bar?.stop();
    }
  }

  async #takeProgress({ examined, total, move, isTargetInUse }: domain.MoveProgress): Promise<void> {
    const { dryRun } = this.#options;
    const { progress } = await import('../terminal/input-file.ts');
    this.examined = examined;
    this.isTargetInUse = isTargetInUse;
    this.#bar ??= progress(this.#call, dryRun ? 'looking' : 'moving', total);
    this.#bar.update(examined);
    this.moveId = move;
    this.#call.interruption.throwIfInterrupted(
      dryRun ? 'Stopped. Nothing was done.' : `Stopped: ${this.movedSoFar}. Run it again to go on.`,
    );
  }

  async #takeMirror(result: domain.MirrorMoved): Promise<void> {
    const { json, printsMirrors } = this.#options;
    const { output } = this.#call;
    this.counts[result.kind] += 1;
    if (result.kind === 'would-move') {
      this.example ??= result;
      if (this.#hosts.size < maxHosts) this.#hosts.add(new URL(result.before).hostname.replace(/\.$/, ''));
    }
    if (!printsMirrors) return;
    if (json) return output.object(objectOf(result));
    if (result.kind === 'moved') return;
    // The line replaces the bar; the next progress draws another one.
    this.#bar?.stop();
    this.#bar = undefined;
    await output.print(sentenceOf(result));
  }
}

function objectOf(result: domain.MirrorMoved): object {
  const { campaign, kind, before, after } = result;
  const object = { campaign_id: campaign, outcome: kind, before, after: after ?? null };
  return 'because' in result ? { ...object, because: result.because } : object;
}

function sentenceOf(result: domain.MirrorMoved): string {
  const mirror = `campaign ${result.campaign}: ${printable(result.before)}`;
  switch (result.kind) {
    case 'moved':
    case 'would-move':
      return `${mirror} → ${printable(result.after)}`;
    case 'refused':
      return `${mirror} is not moved: ${refusals[result.because]}`;
    case 'invalid':
      return `${mirror} is not moved: the new address is refused: ${addressFaults[result.because]}`;
    case 'locked':
      return `${mirror} is not moved: another transaction holds it`;
    case 'changed-meanwhile':
      return `${mirror} is not moved: the campaign or its mirror was changed meanwhile`;
    case 'changed-since':
      return `${mirror} is not moved: the campaign or its mirror was changed after the move`;
  }
}

const refusals: Readonly<Record<domain.OperatorRefusal, string>> = {
  'mirror-not-created': 'it was not created in the settings',
  'default-campaign': 'it is that of a default campaign; --include-default moves it, too',
};
