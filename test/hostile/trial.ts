import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type ServiceData, serviceData } from '../support/process/service-data.ts';
import { type RunningProcess, startService } from '../support/process/service-process.ts';
import { Accounts } from './judged/accounts.ts';
import { type Judged, judged, type Spoken } from './judged/judge.ts';
import { Stored } from './judged/stored.ts';
import type { Conversation, Known } from './requests/conversation.ts';
import { isOpen, plainRequest, spokenWith } from './speaking.ts';

/** How many conversations are shown of those that broke a promise together. */
const shown = 5;

/** A real service on a real database, and what is known of both. */
export class Trial {
  readonly #data: ServiceData;
  readonly #known: Known;
  readonly #port: number;
  readonly #service: RunningProcess;
  readonly #stored: Stored;
  readonly #accounts = new Accounts();
  #batches = 0;

  private constructor(
    data: ServiceData,
    known: Known,
    port: number,
    service: RunningProcess,
    stored: Stored,
  ) {
    this.#data = data;
    this.#known = known;
    this.#port = port;
    this.#service = service;
    this.#stored = stored;
  }

  static async open(): Promise<Trial> {
    const data = await serviceData({ campaigns: 1 });
    const { rows } = await data.database.admin.query(`
      with foreign_one as (insert into campaign_mirror.campaigns (owner_id) values (2) returning id)
      insert into campaign_mirror.mirrors (campaign_id, target_url) select id, 'https://one.example/' from foreign_one
      returning campaign_id::int as id`);
    const known: Known = { key: data.key, own: data.campaigns[0] ?? 0, foreign: rows[0].id };
    const port = await freePort();
    // Without a line for each request: a million of them would not go into a string.
    const quiet = { FAILED_KEY_LIMIT: 'off', LOG_LEVEL: 'warn', PORT: String(port) };
    const service = startService(data.settings(quiet));
    await eventually('a service that listens', async () => expect(await isOpen(port)).to.equal(true));
    const stored = await Stored.open(data.database, [known.own, known.foreign]);
    return new Trial(data, known, port, service, stored);
  }

  /** Holds the conversations at once, then one that nothing is wrong with. @throws where a promise is broken */
  async batch(all: readonly Conversation[]): Promise<Judged[]> {
    const spoken = await Promise.all(all.map((one) => spokenWith(this.#port, one, this.#known)));
    spoken.push(await spokenWith(this.#port, plainRequest(this.#batches++), this.#known));
    const rows = await this.#stored.news();
    try {
      const results = spoken.map((one) => this.#judged(one));
      if (results.at(-1)?.acknowledged.length !== 1)
        throw new Error('the next caller is not answered with 200');
      this.#accounts.check(results, rows);
      return results.slice(0, -1);
    } catch (error) {
      this.#accounts.forgive(spoken, this.#known.key);
      throw (error as Error).message.includes('\nsent ') ? error : withWords(error, spoken);
    }
  }

  /** Ends the service. @throws where it has complained, or does not end well */
  async end(): Promise<void> {
    const { code } = await this.#service.stop();
    const { output, errors } = this.#service;
    if (code !== 0 || errors !== '' || /"level":[56]0/.test(output))
      throw new Error(`the service ended with ${code}:\n${output}${errors}`);
    if (output.includes(this.#known.key)) throw new Error('the log has the key');
  }

  async close(): Promise<void> {
    await this.#service.stop('SIGKILL');
    await this.#data.database.drop();
  }

  #judged(spoken: Spoken): Judged {
    try {
      return judged(spoken, this.#known.key);
    } catch (error) {
      throw withWords(error, [spoken]);
    }
  }
}

/** With what was said where a promise was broken. */
function withWords(error: unknown, all: readonly Spoken[]): Error {
  const text = (bytes: Buffer) => escaped(JSON.stringify(bytes.toString('latin1').slice(0, 1_500)));
  const said = all
    .slice(0, shown)
    .map(({ sent, received }) => `sent     ${text(sent)}\nreceived ${text(received)}`);
  return new Error([(error as Error).message, ...said].join('\n'), { cause: error });
}

/** What a reader would not see, or take for something else. */
function escaped(text: string): string {
  return text.replace(/[\x7f-\xff]/g, (unit) => `\\x${unit.charCodeAt(0).toString(16)}`);
}
