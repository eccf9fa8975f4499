import type { Database } from '@campaign-mirror/adapters-persistence';

/** For how long an answer of the database is taken for its present state, in milliseconds. */
const fresh = 1_000;

/** Whether the service can serve: the database answers, and the service is not about to end. */
export class Readiness {
  readonly #database: Database;
  #draining = false;
  #asked: { at: number; answer: Promise<boolean> } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  startDraining(): void {
    this.#draining = true;
  }

  async checks(): Promise<Record<string, boolean>> {
    return { database: !this.#draining && (await this.#databaseAnswers()), accepting: !this.#draining };
  }

  /** However often this is asked, the database is asked once a second at most. */
  #databaseAnswers(): Promise<boolean> {
    const now = performance.now();
    if (!this.#asked || now - this.#asked.at > fresh) {
      const answer = this.#database.pool.query('select').then(
        () => true,
        () => false,
      );
      this.#asked = { at: now, answer };
    }
    return this.#asked.answer;
  }
}
