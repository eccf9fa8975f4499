import type { Checks, Version } from '../answers/health.ts';
import { methodNotSupported, options, type Reply, routeNotFound } from '../answers/replies.ts';
import type { Exchange } from '../listener/exchange.ts';
import { pathOf } from './app.ts';

/** What the service needs in order to serve; the body of `/readyz`. */
export type Readiness = () => Promise<Checks>;

/** The answer of a path of the operators' listener. Never rejects. */
export type OpsAnswer = () => Reply | Promise<Reply>;

/**
 * Answers on the operators' listener, which is read-only: `/livez`, `/readyz`, `/version`, and the paths of `more`.
 * `liveness` is what must be alive for `/livez` besides the event loop that answers.
 */
export function opsHandler(
  readiness: Readiness,
  version: Version,
  liveness: () => Checks = () => ({}),
  more: Readonly<Record<string, OpsAnswer>> = {},
): (exchange: Exchange) => void {
  const answers: Readonly<Record<string, OpsAnswer>> = {
    ...more,
    '/livez': () => checked(liveness(), 'alive'),
    '/readyz': async () => checked(await ask(readiness), 'ready'),
    '/version': () => ({ status: 200, body: JSON.stringify(version) }),
  };
  return async (exchange) => {
    const path = pathOf(exchange.request.url ?? '');
    const method = exchange.request.method ?? '';
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (!answer) return exchange.answer(routeNotFound(path));
    exchange.route = path;
    if (method === 'OPTIONS') return exchange.answer(options('GET, HEAD'));
    if (method !== 'GET' && method !== 'HEAD')
      return exchange.answer(methodNotSupported(method, 'GET, HEAD'));
    exchange.answer(await answer());
  };
}

function checked(checks: Checks, good: string): Reply {
  const passed = Object.values(checks).every(Boolean);
  const body = JSON.stringify({ status: passed ? good : `not ${good}`, checks });
  return { status: passed ? 200 : 503, body };
}

async function ask(readiness: Readiness): Promise<Checks> {
  try {
    return await readiness();
  } catch {
    return { service: false };
  }
}
