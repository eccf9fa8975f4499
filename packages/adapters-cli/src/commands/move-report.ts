import type * as domain from '@campaign-mirror/domain';
import type { Call } from '../terminal/call.ts';
import { counted, printable } from '../terminal/errors.ts';
import type { Progress } from '../terminal/given-file.ts';
import { addressFaults } from './words.ts';

/** So many are counted: a suffix may have any number of names below it. */
const mostHosts = 10_000;

interface Reporting {
  readonly json: boolean | undefined;
  readonly isDry: boolean;
  /** Whether each mirror is told, or only counted. */
  readonly isShown: boolean;
  readonly subdomains: boolean;
  moveId(): domain.AuditId | undefined;
}

/** Tells what comes of each mirror, and counts it. */
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
  looked = 0;
  isTargetInUse = true;
  /** The first mirror that would be moved. */
  example: domain.MirrorMoved | undefined;
  /** With `subdomains`, the hosts of the mirrors that would be moved, up to `mostHosts` of them. */
  readonly hosts = new Set<string>();
  /** Of the move, once anything was moved. */
  number: domain.AuditId | undefined;
  readonly #call: Call;
  readonly #how: Reporting;
  #bar: Progress | undefined;

  constructor(call: Call, how: Reporting) {
    this.#call = call;
    this.#how = how;
  }

  /** Such as `2 mirrors were moved`. */
  get moved(): string {
    return `${counted(this.counts.moved, 'mirror was', 'mirrors were')} moved`;
  }

  /** Such as `2 mirrors on 2 names`, where they are on several. */
  get toMove(): string {
    const { size } = this.hosts;
    const names = size === mostHosts ? `${size} names or more` : `${size} names`;
    return `${counted(this.counts['would-move'], 'mirror')}${size > 1 ? ` on ${names}` : ''}`;
  }

  /** The same of a move that was cut off, with its number. */
  get movedSoFar(): string {
    return this.number ? `${this.moved} (move ${this.number})` : this.moved;
  }

  /** @throws Interrupted between two steps */
  async take(events: AsyncIterable<domain.MirrorMoved | domain.MoveProgress>): Promise<this> {
    const { isDry } = this.#how;
    const { output, interruption } = this.#call;
    const { progress } = await import('../terminal/given-file.ts');
    try {
      for await (const event of events) {
        if (event.kind !== 'progress') await this.#takeOne(event);
        else {
          this.looked = event.looked;
          this.isTargetInUse = event.isTargetInUse;
          this.#bar ??= progress(this.#call, isDry ? 'looking' : 'moving', event.total);
          this.#bar.at(this.looked);
          if (this.counts.moved > 0) this.number ??= this.#how.moveId();
          interruption.throwIfInterrupted(
            isDry ? 'Stopped. Nothing was done.' : `Stopped: ${this.movedSoFar}. Run it again to go on.`,
          );
        }
        if (isDry && output.isReaderGone) break;
      }
      return this;
    } finally {
      this.#bar?.stop();
    }
  }

  async #takeOne(event: domain.MirrorMoved): Promise<void> {
    const { json, isShown } = this.#how;
    const { output } = this.#call;
    this.counts[event.kind] += 1;
    if (event.kind === 'would-move') {
      this.example ??= event;
      if (this.#how.subdomains && this.hosts.size < mostHosts)
        this.hosts.add(new URL(event.before).hostname.replace(/\.$/, ''));
    }
    if (!isShown) return;
    if (json) return output.object(objectOf(event));
    if (event.kind === 'moved') return;
    // The line takes the place of the bar; the next progress draws another one.
    this.#bar?.stop();
    this.#bar = undefined;
    await output.print(sentenceOf(event));
  }
}

/** The JSON output. */
function objectOf(mirror: domain.MirrorMoved): object {
  const { campaign, kind, before, after } = mirror;
  const because = 'because' in mirror && { because: mirror.because };
  return { campaign_id: campaign, outcome: kind, before, after: after ?? null, ...because };
}

/** The output for people. */
function sentenceOf(mirror: domain.MirrorMoved): string {
  const before = `campaign ${mirror.campaign}: ${printable(mirror.before)}`;
  if (mirror.kind === 'would-move') return `${before} → ${printable(mirror.after)}`;
  if (mirror.kind === 'invalid')
    return `${before} is not moved: the new address is refused: ${addressFaults[mirror.because]}`;
  const otherwise = mirror.kind === 'moved' ? 'locked' : mirror.kind;
  return `${before} is not moved: ${reasons['because' in mirror ? mirror.because : (otherwise as 'locked')]}`;
}

/** Why a mirror is not moved. */
const reasons: Readonly<
  Record<domain.OperatorRefusal | 'locked' | 'changed-meanwhile' | 'changed-since', string>
> = {
  'mirror-not-created': 'it was not created in the settings',
  'default-campaign': 'it is that of a default campaign; --include-default moves it, too',
  locked: 'another transaction holds it',
  'changed-meanwhile': 'the campaign or its mirror was changed meanwhile',
  'changed-since': 'the campaign or its mirror was changed after the move',
};
