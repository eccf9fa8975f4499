import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { RawConnection } from '../support/http/connection.ts';
import { serviceData } from '../support/process/service-data.ts';
import { startService } from '../support/process/service-process.ts';
import { askedUpdate, type Judged, judged, type Spoken } from './judge.ts';
import { type Conversation, type Known, piecesOf } from './requests/conversation.ts';
import { requestsIn } from './requests-in.ts';
import { Accounts, storedIn } from './stored.ts';

/** A real service on a real database, and what is known of both. */
export async function openTrial() {
  const data = await serviceData();
  const { rows } = await data.database.admin.query(`
    with foreign_one as (insert into campaign_mirror.campaigns (owner_id) values (2) returning id)
    insert into campaign_mirror.mirrors (campaign_id, target_url) select id, 'https://one.example/' from foreign_one
    returning campaign_id::int as id`);
  const known: Known = { key: data.key, own: data.campaigns[0] ?? 0, foreign: rows[0].id };
  const port = await freePort();
  // Without a line for each request: a million of them would not go into a string.
  const quiet = { FAILED_KEY_LIMIT: 'off', LOG_LEVEL: 'warn', PORT: String(port) };
  const service = startService(data.settings(quiet));
  await eventually('a service that listens', async () => {
    const connection = await RawConnection.open(port).catch((error) => expect.fail(String(error)));
    await connection.reset();
  });
  const newlyStored = await storedIn(data.database, [known.own, known.foreign]);
  const accounts = new Accounts();
  let batches = 0;

  return {
    /** Holds the conversations at once, then one that nothing is wrong with. @throws where a promise is broken */
    async batch(all: readonly Conversation[]): Promise<Judged[]> {
      const spoken = await Promise.all(all.map((one) => spokenWith(port, one, known)));
      spoken.push(await spokenWith(port, plainRequest(batches++), known));
      const stored = await newlyStored();
      let judging: readonly Spoken[] = [];
      try {
        const results = spoken.map((one) => {
          judging = [one];
          return judged(one, known.key);
        });
        judging = spoken.slice(0, 5);
        if (results.at(-1)?.acknowledged.length !== 1)
          throw new Error('the next caller is not answered with 200');
        accounts.check(results, stored);
        return results.slice(0, -1);
      } catch (error) {
        // What is judged no more may be stored later on, while a shorter batch is looked for.
        const asked = spoken.flatMap(({ sent }) => requestsIn(sent).whole);
        accounts.unknown.push(...asked.flatMap((one) => askedUpdate(one, known.key) ?? []));
        throw new Error([(error as Error).message, ...judging.map(inWords)].join('\n'), { cause: error });
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

/** Says all of a conversation on a connection of its own, and reads what comes back until the service closes it. */
async function spokenWith(port: number, one: Conversation, known: Known): Promise<Spoken> {
  const pieces = piecesOf(one, known);
  const sent = Buffer.concat(pieces);
  const connection = await RawConnection.open(port);
  for (const piece of pieces.slice(0, one.vanishesAfter)) {
    void connection.send(piece);
    await nextTurn();
  }
  if (one.vanishesAfter !== undefined) {
    await connection.reset();
    return { sent, received: Buffer.alloc(0), wasBroken: true };
  }
  connection.socket.end();
  const received = Buffer.from(await connection.closed(), 'latin1');
  return { sent, received, wasBroken: connection.error !== undefined };
}

/** A request that nothing is wrong with. */
function plainRequest(number: number): Conversation {
  const text = JSON.stringify({ mirror_endpoint: `https://one.example/next/${number}` });
  const lines = [
    'POST /public/v1/mirror/campaign/<OWN>/mirror HTTP/1.1',
    'Host: a.example',
    'Authorization: Bearer <KEY>',
    'Content-Type: application/json',
    `Content-Length: ${text.length}`,
  ];
  return { messages: [[...lines, '', text].join('\r\n')], cuts: [] };
}

function inWords({ sent, received }: Spoken): string {
  // A reader would not see these, or take them for something else.
  const shown = (bytes: Buffer) =>
    JSON.stringify(bytes.toString('latin1').slice(0, 1_500)).replace(
      /[\x7f-\xff]/g,
      (unit) => `\\x${unit.charCodeAt(0).toString(16)}`,
    );
  return `sent     ${shown(sent)}\nreceived ${shown(received)}`;
}
