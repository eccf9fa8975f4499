import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { serviceData } from '../support/process/service-data.ts';
import { startService } from '../support/process/service-process.ts';
import { Accounts } from './judged/accounts.ts';
import { type Judged, judged, type Spoken } from './judged/judge.ts';
import { storedIn } from './judged/stored.ts';
import type { Conversation, Known } from './requests/conversation.ts';
import { isOpen, plainRequest, spokenWith } from './speaking.ts';

/** How many conversations are shown of those that broke a promise together. */
const shown = 5;

/** A real service on a real database, and what is known of both. */
export async function openTrial() {
  const data = await serviceData({ campaigns: 1 });
  const { rows: foreign } = await data.database.admin.query(`
    with foreign_one as (insert into campaign_mirror.campaigns (owner_id) values (2) returning id)
    insert into campaign_mirror.mirrors (campaign_id, target_url) select id, 'https://one.example/' from foreign_one
    returning campaign_id::int as id`);
  const known: Known = { key: data.key, own: data.campaigns[0] ?? 0, foreign: foreign[0].id };
  const port = await freePort();
  // Without a line for each request: a million of them would not go into a string.
  const quiet = { FAILED_KEY_LIMIT: 'off', LOG_LEVEL: 'warn', PORT: String(port) };
  const service = startService(data.settings(quiet));
  await eventually('a service that listens', async () => expect(await isOpen(port)).to.equal(true));
  const stored = await storedIn(data.database, [known.own, known.foreign]);
  const accounts = new Accounts();
  let batches = 0;

  const judgedOf = (spoken: Spoken) => {
    try {
      return judged(spoken, known.key);
    } catch (error) {
      throw withWords(error, [spoken]);
    }
  };

  return {
    /** Holds the conversations at once, then one that nothing is wrong with. @throws where a promise is broken */
    async batch(all: readonly Conversation[]): Promise<Judged[]> {
      const spoken = await Promise.all(all.map((one) => spokenWith(port, one, known)));
      spoken.push(await spokenWith(port, plainRequest(batches++), known));
      const rows = await stored.news();
      try {
        const results = spoken.map(judgedOf);
        if (results.at(-1)?.acknowledged.length !== 1)
          throw new Error('the next caller is not answered with 200');
        accounts.check(results, rows);
        return results.slice(0, -1);
      } catch (error) {
        accounts.forgive(spoken, known.key);
        throw (error as Error).message.includes('\nsent ') ? error : withWords(error, spoken);
      }
    },
    /** Ends the service. @throws where it has complained, or does not end well */
    async end(): Promise<void> {
      const { code } = await service.stop();
      const { output, errors } = service;
      if (code !== 0 || errors !== '' || /"level":[56]0/.test(output))
        throw new Error(`the service ended with ${code}:\n${output}${errors}`);
      if (output.includes(known.key)) throw new Error('the log has the key');
    },
    async close(): Promise<void> {
      await service.stop('SIGKILL');
      await data.database.drop();
    },
  };
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
