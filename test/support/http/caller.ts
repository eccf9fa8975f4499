import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { eventually } from '../promises.ts';
import { assertDocumented } from './openapi-answers.ts';
import { pathOf } from './request.ts';

export interface Call {
  readonly base: string;
  readonly campaign: number;
  readonly key: string;
  readonly address: string;
  readonly requestId?: string;
  /** The last change that `If-Match` requires. */
  readonly requires?: number | undefined;
}

export interface Answer {
  readonly requestId: string;
  /** Undefined if the connection ended before an answer. */
  readonly status: number | undefined;
  readonly body: string;
  /** The last change of the mirror, from the ETag of a 200 or a 412. */
  readonly lastChange?: number;
}

export const keepAlive = () => new Agent({ keepAlive: true });

/** Sets a mirror. Rejects for an answer that is incomplete, or that openapi.json does not describe. */
export async function call(one: Call, agent?: Agent): Promise<Answer> {
  const { base, campaign, key, address, requestId = randomUUID(), requires } = one;
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'x-request-id': requestId,
    ...(requires !== undefined && { 'if-match': `"${requires}"` }),
  };
  const sent = request(base + pathOf(campaign), { method: 'POST', headers, ...(agent && { agent }) });
  sent.on('error', () => {}).end(JSON.stringify({ mirror_endpoint: address }));
  const [response]: IncomingMessage[] = await once(sent, 'response').catch(() => []);
  if (!response) return { requestId, status: undefined, body: '' };
  const answer = { status: response.statusCode ?? 0, body: await text(response) };
  assertDocumented({ ...answer, headers: response.headers });
  const { etag } = response.headers;
  return { requestId, ...answer, ...(etag && { lastChange: Number(etag.slice(1, -1)) }) };
}

/** Callers that each call again after an answer, until `stop` is called or their connection breaks. */
export function load(campaigns: readonly Omit<Call, 'address'>[], callers: number) {
  const answers: Answer[] = [];
  const { promise: first, resolve } = Promise.withResolvers<void>();
  let stopped = false;
  let calls = 0;
  const callAgain = async () => {
    const agent = keepAlive();
    while (!stopped) {
      const number = calls++;
      const one = campaigns[number % campaigns.length] as Omit<Call, 'address'>;
      const answer = await call({ ...one, address: `https://load.example/${number}` }, agent);
      answers.push(answer);
      if (answer.status === 200) resolve();
      if (answer.status === undefined) break;
    }
    agent.destroy();
  };
  const all = Promise.all(Array.from({ length: callers }, callAgain));
  const stop = async () => {
    stopped = true;
    await all;
    return answers;
  };
  const after = (count: number) =>
    eventually(`${count} answers`, () => expect(answers.length).to.be.at.least(count));
  return { first, after, answers, stop };
}
