import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { eventually } from '../promises.ts';
import { pathOf } from './request.ts';

export interface Call {
  readonly base: string;
  readonly campaign: number;
  readonly key: string;
  readonly address: string;
  readonly requestId?: string;
}

/** Sets a mirror. The status is undefined if the connection ended before an answer. Rejects for a part of one. */
export async function call({ requestId = randomUUID(), ...one }: Call, agent?: Agent) {
  const headers = {
    authorization: `Bearer ${one.key}`,
    'content-type': 'application/json',
    'x-request-id': requestId,
  };
  const options = { method: 'POST', headers, ...(agent && { agent }) };
  const sent = request(one.base + pathOf(one.campaign), options).on('error', () => {});
  sent.end(JSON.stringify({ mirror_endpoint: one.address }));
  const [response]: IncomingMessage[] = await once(sent, 'response').catch(() => []);
  if (!response) return { requestId, status: undefined, body: '' };
  return { requestId, status: response.statusCode, body: await text(response) };
}

/** Callers that each call again after an answer, until `stop` is called or their connection breaks. */
export function load(campaigns: readonly Omit<Call, 'address'>[], callers: number) {
  const answers: Awaited<ReturnType<typeof call>>[] = [];
  let stopped = false;
  let calls = 0;
  const callAgain = async () => {
    const agent = new Agent({ keepAlive: true });
    while (!stopped) {
      const number = calls++;
      const one = campaigns[number % campaigns.length] as Omit<Call, 'address'>;
      const answer = await call({ ...one, address: `https://load.example/${number}` }, agent);
      answers.push(answer);
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
  return { after, stop };
}
