import { Unavailable } from '@campaign-mirror/domain';

/** Somebody who waits for a batch to go. */
export interface Waiting {
  /** When it came, by `performance.now()`. */
  readonly since: number;
  reject(reason: unknown): void;
}

/** Runs what answers these; where it fails itself, such as by an observer that throws, they are rejected with that. */
export async function answering<Member extends Waiting>(
  members: readonly Member[],
  run: (members: readonly Member[]) => Promise<void>,
): Promise<void> {
  try {
    await run(members);
  } catch (error) {
    for (const member of members) member.reject(error);
  }
}

/** What goes together, and how. */
export interface Stage<Member extends Waiting> {
  /**
   * Takes the next batch out of those that wait, in the order in which they came, and whoever is to wait elsewhere. It
   * does not throw.
   */
  take(waiting: Member[]): Member[];
  /** Answers each member, however it ends. Where it rejects, so are those that it has not answered. */
  carryOut(batch: readonly Member[]): Promise<void>;
}

/**
 * While a batch is under way what arrives waits, then goes together: never two batches at once. A lone member goes
 * at the end of the event loop's turn in which it came. Who waits longer than `timeout` milliseconds is rejected.
 */
export class Batches<Member extends Waiting> {
  readonly #stage: Stage<Member>;
  readonly #timeout: number;
  #waiting: Member[] = [];
  #armed = false;
  #underWay = false;
  #watch: NodeJS.Timeout | undefined;

  constructor(stage: Stage<Member>, timeout: number) {
    this.#stage = stage;
    this.#timeout = timeout;
  }

  add(member: Member): void {
    this.#waiting.push(member);
    this.#arm();
  }

  #arm(): void {
    if (this.#underWay) this.#watchOver();
    if (this.#armed || this.#underWay) return;
    this.#armed = true;
    // Not at once: what else came with this turn of the event loop goes along.
    setImmediate(() => {
      this.#armed = false;
      void this.#go();
    });
  }

  async #go(): Promise<void> {
    if (this.#waiting.length === 0) return;
    this.#underWay = true;
    const batch = this.#stage.take(this.#waiting);
    this.#watchOver();
    if (batch.length > 0) await answering(batch, (members) => this.#stage.carryOut(members));
    this.#underWay = false;
    if (this.#waiting.length > 0) this.#arm();
  }

  /** One timer, left running between batches: it costs nothing where nobody has to wait for long. */
  #watchOver(): void {
    const [first] = this.#waiting;
    if (this.#watch || !first) return;
    const left = Math.max(0, first.since + this.#timeout - performance.now());
    this.#watch = setTimeout(() => {
      this.#watch = undefined;
      this.#dismiss();
      this.#watchOver();
    }, left).unref();
  }

  #dismiss(): void {
    const tooLong = performance.now() - this.#timeout;
    const kept = this.#waiting.findIndex(({ since }) => since > tooLong);
    const dismissed = this.#waiting.splice(0, kept === -1 ? this.#waiting.length : kept);
    for (const member of dismissed) member.reject(new Unavailable('no batch could take the request in time'));
  }
}
