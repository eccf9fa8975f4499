import type { Refusal } from '@campaign-mirror/domain';
import type {
  AuditId,
  HostMove,
  MirrorMove,
  MirrorMoved,
  MirrorMoves,
  MoveProgress,
} from '@campaign-mirror/domain/operator';
import type { Call, Progress } from '../terminal/call.ts';
import { counted, printable } from '../terminal/errors.ts';
import { isOnHost, namesHostElsewhere } from './hosts.ts';
import { addressFaults, campaignRefused } from './words.ts';

export interface ReportOptions {
  readonly dryRun: boolean;
  /** What becomes of a mirror. */
  readonly done: 'moved' | 'set';
  /** Whether to print each mirror; otherwise they are only counted. */
  readonly printsMirrors: boolean;
  /** How many mirrors are examined, if that is known before. */
  readonly total?: number;
  /** The hosts, if it is a move from one to another. */
  readonly move?: HostMove;
  readonly moves: MirrorMoves;
}

/** Prints the result for each mirror, and counts the results. */
export class MoveReport {
  readonly counts = {
    moved: 0,
    'would-move': 0,
    unchanged: 0,
    refused: 0,
    invalid: 0,
    'not-as-expected': 0,
    unread: 0,
    'changed-meanwhile': 0,
    'changed-since': 0,
    locked: 0,
  };
  examined = 0;
  below = 0;
  elsewhere = 0;
  example: MirrorMove | undefined;
  readonly #call: Call;
  readonly #options: ReportOptions;
  #bar: Progress | undefined;

  constructor(call: Call, options: ReportOptions) {
    this.#call = call;
    this.#options = options;
  }

  get moveId(): AuditId | undefined {
    return this.#options.moves.moveId;
  }

  /** Such as `2 mirrors were moved`. */
  get moved(): string {
    return `${counted(this.counts.moved, 'mirror was', 'mirrors were')} ${this.#options.done}`;
  }

  /** Such as `2 refused, 1 changed since`; empty if nothing was left out. */
  get notMoved(): string {
    const left = Object.entries(this.counts).filter(([kind, count]) => count > 0 && !isDone(kind));
    return left.map(([kind, count]) => `${count} ${kind.replaceAll('-', ' ')}`).join(', ');
  }

  /** The counts under their names in the interface. */
  get fields(): Readonly<Record<string, number>> {
    const nameIn = (kind: string) => nameOf(kind, this.#options.done).replaceAll('-', '_');
    return Object.fromEntries(Object.entries(this.counts).map(([kind, count]) => [nameIn(kind), count]));
  }

  /** Such as `2 mirrors were moved (move 17)`. */
  get movedSoFar(): string {
    return this.moveId ? `${this.moved} (move ${this.moveId})` : this.moved;
  }

  get toMove(): string {
    return counted(this.counts['would-move'], 'mirror');
  }

  /** @throws Interrupted between two steps */
  async take(events: AsyncIterable<MirrorMoved | MoveProgress>): Promise<this> {
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

  async #takeProgress({ examined }: MoveProgress): Promise<void> {
    const { dryRun, done, total } = this.#options;
    this.examined = examined;
    const doing = done === 'set' ? 'setting' : 'moving';
    this.#bar ??= await this.#call.progress(dryRun ? 'looking' : doing, total);
    this.#bar.update(examined);
    this.#call.throwIfStopped(
      dryRun ? 'Stopped. Nothing was done.' : `Stopped: ${this.movedSoFar}. Run it again to go on.`,
    );
  }

  /** Counts the mirrors below the host that do not move, and those that have it in another part of the address. */
  #countLeft({ kind, before }: Pick<MirrorMoved, 'kind'> & { before: string | null }, move: HostMove): void {
    const { from, to, subdomains } = move;
    const stays = kind === 'not-on-host' && !isOnHost(before ?? '', to.name, subdomains);
    if (stays && isOnHost(before ?? '', from, true)) this.below += 1;
    if (namesHostElsewhere(before ?? '', from)) this.elsewhere += 1;
  }

  async #takeMirror(result: MirrorMoved): Promise<void> {
    const { printsMirrors, done, move } = this.#options;
    const { output } = this.#call;
    if (move && 'before' in result) this.#countLeft(result, move);
    if (result.kind === 'not-on-host') return;
    this.counts[result.kind] += 1;
    if (result.kind === 'would-move') this.example ??= result;
    if (!printsMirrors) return;
    if (output.json) return output.object(objectOf(result, done));
    if (result.kind === 'moved' || result.kind === 'unchanged') return;
    // The line replaces the bar; the next progress draws another one.
    this.#bar?.stop();
    this.#bar = undefined;
    const place = result.line === undefined ? '' : `line ${result.line}: `;
    await output.print(`${place}${sentenceOf(result, done)}`);
  }
}

/** Whether nothing is left to do for such a result. */
const isDone = (kind: string) => ['moved', 'would-move', 'unchanged'].includes(kind);

/** In a command that sets mirrors, those that were moved were set. */
function nameOf(kind: string, done: ReportOptions['done']): string {
  const names: Readonly<Record<string, string>> = { moved: 'set', 'would-move': 'would-set' };
  return (done === 'set' && names[kind]) || kind;
}

function objectOf(result: MirrorMoved, done: ReportOptions['done']): object {
  const { line } = result;
  if (result.kind === 'unread') return { line, outcome: result.kind, because: result.because };
  const { campaign: campaign_id, kind, before, after = null } = result;
  const because = 'because' in result ? result.because : undefined;
  return { line, campaign_id, outcome: nameOf(kind, done), before, after, because };
}

function sentenceOf(result: MirrorMoved, done: ReportOptions['done']): string {
  if (result.kind === 'unread') return result.because;
  const { campaign } = result;
  const before = printable(result.before ?? '');
  const after = printable(result.after ?? '');
  const mirror = `campaign ${campaign}: ${before}`;
  const notSet = `campaign ${campaign} is not set${after && ` to ${after}`}`;
  const not = done === 'set' ? notSet : `${mirror} is not moved`;
  if (result.kind === 'invalid')
    return `${not}: the new address is refused: ${addressFaults[result.because]}`;
  if (result.kind === 'not-as-expected') return `${not}: its address is ${before}`;
  if (result.kind !== 'refused') {
    const why = meanwhile[result.kind];
    return why ? `${not}: ${why}` : `${mirror} → ${after}`;
  }
  const { because } = result;
  if (because === 'campaign-not-found') return campaignRefused(campaign, { kind: because }).message;
  if (done === 'set') return campaignRefused(campaign, { kind: 'refused', because }).message;
  return `${not}: ${refusals[because]}`;
}

const meanwhile: Readonly<Partial<Record<MirrorMoved['kind'], string>>> = {
  locked: 'another transaction holds it',
  'changed-meanwhile': 'the campaign or its mirror was changed meanwhile',
  'changed-since': 'the campaign or its mirror was changed after the move',
};

const refusals: Readonly<Record<Refusal, string>> = {
  'mirror-not-created': 'it was not created in the settings',
  'default-campaign': 'it is that of a default campaign; --include-default moves it, too',
  'not-the-owner': 'it belongs to another owner',
};
