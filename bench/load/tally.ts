import { quantileSorted } from 'd3-array';
import type { Answers } from './generator-process.ts';

/** What a load generator counts and prints. */
export class Tally {
  /** What arrived while no connection was free, and was not sent. */
  heldBack = 0;
  #requests = 0;
  readonly #latencies: number[] = [];
  readonly #answered: Record<string, number> = {};
  readonly #errors: Record<string, number> = {};
  readonly #begun = performance.now();
  readonly #cpu = process.cpuUsage();

  /** The latency, in milliseconds, is left out where it does not count. */
  answer(status: number | string, latency?: number): void {
    this.#requests += 1;
    this.#answered[status] = (this.#answered[status] ?? 0) + 1;
    if (latency !== undefined) this.#latencies.push(latency);
  }

  error(what: string): void {
    this.#errors[what] = (this.#errors[what] ?? 0) + 1;
  }

  /** Prints the line that `generatorLine` reads. */
  print(made: Record<string, number>): void {
    const seconds = (performance.now() - this.#begun) / 1000;
    const { user, system } = process.cpuUsage(this.#cpu);
    const sorted = this.#latencies.sort((one, other) => one - other);
    const at = (part: number) => quantileSorted(sorted, part) ?? 0;
    const answers: Answers = {
      requests: this.#requests,
      seconds,
      p50: at(0.5),
      p99: at(0.99),
      p999: at(0.999),
      answered: this.#answered,
      made,
      heldBack: this.heldBack,
      errors: this.#errors,
      cpu: user + system,
    };
    process.stdout.write(`${JSON.stringify(answers)}\n`);
  }
}
