import { askedUpdate, type Judged, type Spoken, type Update } from './judge.ts';
import { requestsIn } from './requests-in.ts';
import type { Row } from './stored.ts';

const nameOf = ({ campaign, address }: Update) => JSON.stringify([campaign, address]);
const nameOfRow = (row: Row) => JSON.stringify([row.campaign, row.address, row.requestId]);

/** Compares what was acknowledged with what is stored. */
export class Accounts {
  /** Of connections that broke: their updates may be stored later on, too. */
  readonly #unknown = new Map<string, number>();

  /** @throws where an acknowledged update is not stored, or another one is */
  check(judged: readonly Judged[], rows: readonly Row[]): void {
    for (const { unknown } of judged) for (const one of unknown) this.#add(nameOf(one), 1);
    const left = new Map<string, number>();
    for (const row of rows) left.set(nameOfRow(row), (left.get(nameOfRow(row)) ?? 0) + 1);
    for (const row of judged.flatMap(({ acknowledged }) => acknowledged)) {
      const count = left.get(nameOfRow(row)) ?? 0;
      if (count === 0) throw new Error(`answered with 200 and not stored: ${nameOfRow(row)}`);
      left.set(nameOfRow(row), count - 1);
    }
    for (const row of rows) {
      const count = left.get(nameOfRow(row)) ?? 0;
      for (let nth = 0; nth < count; nth++) {
        if (!this.#unknown.get(nameOf(row))) throw new Error(`stored without a 200: ${nameOfRow(row)}`);
        this.#add(nameOf(row), -1);
      }
      left.set(nameOfRow(row), 0);
    }
  }

  /** What was said and is judged no more: it may be stored. */
  forgive(spoken: readonly Spoken[], key: string): void {
    const updates = spoken.flatMap(({ sent }) => requestsIn(sent).whole.map((one) => askedUpdate(one, key)));
    for (const one of updates) if (one) this.#add(nameOf(one), 1);
  }

  #add(name: string, count: number): void {
    this.#unknown.set(name, (this.#unknown.get(name) ?? 0) + count);
  }
}
