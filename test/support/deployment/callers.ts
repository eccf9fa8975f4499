/**
 * Callers of a service that call again and again, half of them on a connection that they keep: `callers.ts BASE CAMPAIGN
 * KEY`. At SIGTERM it says what came of their calls. It needs nothing but Node.
 */
import { Agent, request } from 'node:http';

/** A call that was not answered with 200. Times in milliseconds since 1970. */
export interface Unanswered {
  readonly caller: number;
  readonly requestId: string;
  /** An error's, such as ECONNRESET, or a status. */
  readonly code: string | number;
  /** Whether its connection had carried a call before. */
  readonly reused: boolean;
  readonly from: number;
  readonly to: number;
}

export interface Tally {
  /** How many calls each caller made: their identifiers are `caller-CALLER-NUMBER`. */
  readonly calls: readonly number[];
  readonly unanswered: readonly Unanswered[];
}

const callers = 8;
const [base = '', campaign = '', key = ''] = process.argv.slice(2);
const unanswered: Unanswered[] = [];
let [answered, stopped] = [0, false];

function call(agent: Agent, requestId: string): Promise<{ code: string | number; reused: boolean }> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-request-id': requestId,
    };
    const sent = request(`${base}/public/v1/mirror/campaign/${campaign}/mirror`, {
      ...{ method: 'POST', agent, headers },
    });
    const end = (code: string | number) => resolve({ code, reused: sent.reusedSocket });
    sent.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    sent.on('response', (response) => {
      response.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
      response.resume().on('end', () => end(response.statusCode ?? 0));
    });
    sent.end(JSON.stringify({ mirror_endpoint: `https://load.example/${requestId}` }));
  });
}

async function callAgain(caller: number): Promise<number> {
  const agent = new Agent({ keepAlive: caller % 2 === 0, maxSockets: 1 });
  let number = 0;
  for (; !stopped; number++) {
    const [requestId, from] = [`caller-${caller}-${number}`, Date.now()];
    const { code, reused } = await call(agent, requestId);
    if (code === 200) answered += 1;
    else unanswered.push({ caller, requestId, code, reused, from, to: Date.now() });
    if (answered === 1_000) console.log('under way');
  }
  agent.destroy();
  return number;
}

process.once('SIGTERM', () => {
  stopped = true;
});
const calls = await Promise.all(Array.from({ length: callers }, (_, caller) => callAgain(caller)));
console.log(JSON.stringify({ calls, unanswered } satisfies Tally));
