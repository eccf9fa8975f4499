import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { assertDocumented } from './openapi-answers.ts';

export interface Call {
  readonly base: string;
  readonly campaign: number;
  readonly key: string;
  readonly address: string;
  readonly requestId?: string;
}

export interface Answer {
  readonly requestId: string;
  /** Undefined where the connection ended without a byte of an answer. */
  readonly status: number | undefined;
  readonly body: string;
}

export const keepAlive = () => new Agent({ keepAlive: true });

/** Sets a mirror as a script does. Rejects for an answer that is cut off in its middle, or not documented. */
export function call(one: Call, agent?: Agent): Promise<Answer> {
  const { base, campaign, key, address, requestId = randomUUID() } = one;
  return new Promise((resolve, reject) => {
    const sent = request(`${base}/public/v1/mirror/campaign/${campaign}/mirror`, {
      method: 'POST',
      ...(agent && { agent }),
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-request-id': requestId,
      },
    });
    sent.on('error', () => resolve({ requestId, status: undefined, body: '' }));
    sent.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        try {
          assertDocumented({ status, headers, body });
          resolve({ requestId, status, body });
        } catch (error) {
          reject(error);
        }
      });
    });
    sent.end(JSON.stringify({ mirror_endpoint: address }));
  });
}

/**
 * Callers that call one after the other until `stop`, or until their connection breaks; `first` resolves with the
 * first 200. Each call goes to the next of the campaigns.
 */
export function load(campaigns: readonly Omit<Call, 'address'>[], callers: number) {
  const answers: Answer[] = [];
  const { promise: first, resolve } = Promise.withResolvers<void>();
  let awaited = { count: Number.POSITIVE_INFINITY, resolve: () => {} };
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
      if (answers.length >= awaited.count) awaited.resolve();
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
    new Promise<void>((done) => {
      awaited = { count, resolve: done };
    });
  return { first, after, answers, stop };
}
