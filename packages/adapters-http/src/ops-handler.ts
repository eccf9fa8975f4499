import { pathOf } from './app.ts';
import type { Exchange } from './exchange.ts';
import { methodNotSupported, options, routeNotFound } from './replies.ts';

/** Whether each thing that the service needs is there; by name, for the body of `/readyz`. */
export type Readiness = () => Promise<Readonly<Record<string, boolean>>>;

/** Answers on the ops listener, which only reads: `/livez` and `/readyz`. */
export function opsHandler(readiness: Readiness): (exchange: Exchange) => void {
  return (exchange) => {
    const path = pathOf(exchange.request.url ?? '');
    const method = exchange.request.method ?? '';
    if (path !== '/livez' && path !== '/readyz') return exchange.answer(routeNotFound(path));
    exchange.route = path;
    if (method === 'OPTIONS') return exchange.answer(options('GET, HEAD'));
    if (method !== 'GET' && method !== 'HEAD')
      return exchange.answer(methodNotSupported(method, 'GET, HEAD'));
    if (path === '/livez') return exchange.answer({ status: 200, body: '{"status":"alive"}' });
    void answerReadiness(exchange, readiness);
  };
}

async function answerReadiness(exchange: Exchange, readiness: Readiness): Promise<void> {
  const checks = await ask(readiness);
  const ready = Object.values(checks).every(Boolean);
  const body = JSON.stringify({ status: ready ? 'ready' : 'not ready', checks });
  exchange.answer({ status: ready ? 200 : 503, body, headers: { 'Cache-Control': 'no-store' } });
}

async function ask(readiness: Readiness): Promise<Readonly<Record<string, boolean>>> {
  try {
    return await readiness();
  } catch {
    return { service: false };
  }
}
