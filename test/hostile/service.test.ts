import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { freePort } from '@campaign-mirror/embedded-postgres';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { RawConnection, type RawResponse, readResponse } from '../support/http/connection.ts';
import { assertDocumented } from '../support/http/openapi-answers.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type RunningProcess, startService } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';
import { seed } from '../support/seed.ts';
import { type Conversation, conversation, type Known, mostMessages, piecesOf } from './conversation.ts';

/** REQUESTS in the environment asks for more: so many at least. */
const requests = Number(process.env.REQUESTS ?? 10_000);
/** Conversations at once, of one or two requests on average. */
const together = 30;
/** How long a connection may stand still, in milliseconds: a hang. */
const limit = 300_000;

/** A request that nothing is wrong with. */
function plain(number: number): Conversation {
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

/** Of an upgrade that nobody makes, the body breaks off: Node does not say so. */
const brokenOff: Conversation = {
  messages: plain(0).messages.map((text) =>
    text.replace('Content-Length: ', 'Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 1'),
  ),
  cuts: [],
};

/** The addresses, and a sum of all that callers can not change. */
const looked = `
  select
    (select json_object_agg(campaign_id, target_url) from campaign_mirror.mirrors) as mirrors,
    md5(concat(
      (select json_agg(c order by id) from campaign_mirror.campaigns c),
      (select json_agg(json_build_object('id', id, 'hash', hash, 'owner', owner_id, 'ends', expires_at, 'revoked', revoked_at)
        order by id) from campaign_mirror.access_keys k),
      (select json_agg(json_build_object('id', id, 'clicks', clicks, 'made', created_at) order by id)
        from campaign_mirror.mirrors m),
      (select count(*) from campaign_mirror.operator_audit))) as others`;
const changes = `
  select id::float8, campaign_id::float8 as campaign, address_after as address, request_id as "requestId"
  from campaign_mirror.mirror_history where campaign_id = any ($1) and id > $2 order by id`;

/** What went over a connection. */
interface Spoken {
  readonly sent: Buffer;
  readonly received: Buffer;
  /** Whether one side ended it without reading on: answers may be lost. */
  readonly wasBroken: boolean;
}

/** Takes apart what came back, to the last byte. @throws if an answer is not in the contract, or breaks off unless the connection did */
function answersIn({ received, wasBroken }: Spoken): RawResponse[] {
  const answers: RawResponse[] = [];
  for (let rest = received; rest.length > 0; ) {
    const read = readResponse(rest, false);
    if (!read && wasBroken) break;
    if (!read) throw new Error(`an answer breaks off: ${rest.toString('latin1')}`);
    const { status, headers } = read.response;
    if (status === 500 || answers.at(-1)?.headers.connection === 'close')
      throw new Error(`an answer that may not come: ${status}`);
    // That of `/`, which is no operation.
    if (status !== 302 || headers.location !== '/docs') assertDocumented(read.response);
    if (status >= 200) answers.push(read.response);
    rest = rest.subarray(read.length);
  }
  return answers;
}

/** What a 200 says was set, as the history has it. */
const updateIn = ({ headers, body }: RawResponse) => {
  const { campaign_id: campaign, target_url: address } = JSON.parse(body).mirror;
  return JSON.stringify([campaign, address, headers['x-request-id']]);
};

function inWords({ sent, received }: Spoken): string {
  // A reader would not see these, or take them for something else.
  const shown = (bytes: Buffer) =>
    JSON.stringify(bytes.toString('latin1').slice(0, 1_500)).replace(
      /[\x7f-\xff]/g,
      (unit) => `\\x${unit.charCodeAt(0).toString(16)}`,
    );
  return `sent     ${shown(sent)}\nreceived ${shown(received)}`;
}

describe(`contract: answers — ten thousand hostile requests to a service (SEED=${seed})`, () => {
  const data = serviceDataOf('suite');
  let service: RunningProcess;
  let known: Known;
  let port: number;
  before(async () => {
    const { rows } = await data.database.admin.query(`
      with foreign_one as (insert into campaign_mirror.campaigns (owner_id) values (2) returning id)
      insert into campaign_mirror.mirrors (campaign_id, target_url) select id, 'https://one.example/' from foreign_one
      returning campaign_id::int as id`);
    known = { key: data.key, own: data.campaigns[0] ?? 0, foreign: rows[0].id };
    port = await freePort();
    // Without a line for each request: a million of them would not go into a string.
    service = startService(data.settings({ FAILED_KEY_LIMIT: 'off', LOG_LEVEL: 'warn', PORT: String(port) }));
    await eventually('a service that listens', async () => {
      const connection = await RawConnection.open(port).catch((error) => expect.fail(String(error)));
      await connection.reset();
    });
  });

  /** Says all of a conversation on a connection of its own, and reads what comes back until the service closes it. */
  async function speak(one: Conversation): Promise<Spoken> {
    const pieces = piecesOf(one, known);
    const sent = Buffer.concat(pieces);
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const chunks: Buffer[] = [];
    let wasBroken = one.vanishesAfter !== undefined;
    let isStalled = false;
    socket
      .setTimeout(limit, () => {
        isStalled = true;
        socket.destroy();
      })
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('error', () => {
        wasBroken = true;
      });
    const ended = new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
    await once(socket, 'connect');
    for (const piece of pieces.slice(0, one.vanishesAfter)) {
      socket.write(piece);
      await nextTurn();
    }
    if (one.vanishesAfter === undefined) socket.end();
    else socket.resetAndDestroy();
    await ended;
    socket.destroy();
    const spoken = {
      sent,
      received: Buffer.concat(one.vanishesAfter === undefined ? chunks : []),
      wasBroken,
    };
    if (isStalled) throw new Error(`nothing came for ${limit} ms:\n${inWords(spoken)}`);
    return spoken;
  }

  it('each answer is in the contract, 200 stores what it says, nothing else stores, others are served', async function () {
    // With REQUESTS it takes as long as it takes: a connection that stands still is an error.
    this.timeout(0);
    const { admin } = data.database;
    const look = async () => (await admin.query(looked)).rows[0];
    const [before, counts] = [await look(), new Map<number, number>()];
    /** Updates of which nobody knows whether they are stored. */
    let unknown = 0;
    let last = 0;
    let asked = 0;
    for (let batch = 0; asked < requests; batch++) {
      const all = fc.sample(conversation, { seed: seed + batch, numRuns: together });
      const spoken = await Promise.all([...all, brokenOff].map(speak));
      // The next caller, with whom nothing is wrong.
      spoken.push(await speak(plain(batch)));
      const { rows } = await admin.query(changes, [[known.own, known.foreign], last]);
      last = rows.at(-1)?.id ?? last;
      for (const { campaign, address } of rows) before.mirrors[campaign] = address;
      let judging = spoken;
      try {
        const results = spoken.map((one) => {
          judging = [one];
          return answersIn(one);
        });
        judging = spoken;
        expect(
          results.at(-1)?.map(({ status }) => status),
          'of the next caller',
        ).to.deep.equal([200]);
        for (const { status } of results.flat()) counts.set(status, (counts.get(status) ?? 0) + 1);
        const acknowledged = results
          .flat()
          .filter(({ status }) => status === 200)
          .map(updateIn);
        const stored = rows.map(({ campaign, address, requestId }) =>
          JSON.stringify([campaign, address, requestId]),
        );
        expect(stored, 'the history').to.include.members(acknowledged);
        const more = stored.length - acknowledged.length;
        expect(more, 'what is stored once').to.be.at.least(0);
        unknown += spoken.filter(({ wasBroken }) => wasBroken).length * mostMessages;
        unknown += results.flat().filter(({ status }) => status === 503).length;
        unknown -= more;
        expect(unknown, 'what is stored without a 200').to.be.at.least(0);
      } catch (error) {
        const what = [`batch ${batch}: ${(error as Error).message}`, ...judging.map(inWords)];
        throw new Error(what.join('\n'), { cause: error });
      }
      asked += all.flatMap(({ messages }) => messages).length;
    }
    expect(await look()).to.deep.equal(before);
    const { code } = await service.stop();
    const { output, errors } = service;
    expect([code, errors]).to.deep.equal([0, '']);
    expect(output)
      .not.to.match(/"level":[56]0/)
      .and.not.to.include(known.key);
    // Far enough into the service: a fifth of the requests is carried out.
    expect([...counts.keys()]).to.include.members([200, 400, 401, 403, 404, 405, 413, 415, 422]);
    expect(counts.get(200)).to.be.at.least(requests / 5);
  });
});
