import { isIP } from 'node:net';
import type Koa from 'koa';
import { answer, type Calls, type Middleware, type ServiceState } from '../chain/calls.ts';
import { misdirected, type Reply } from '../chain/replies.ts';
import type { Slots } from '../chain/slots.ts';
import { addPages, exactRouter, koa } from './application.ts';
import type { Page } from './pages.ts';

/** Whether each condition of readiness is met, by its name. */
export type Checks = Readonly<Record<string, boolean>>;

/** What the operators' listener needs. */
export interface OpsSettings {
  readonly calls: Calls;
  readonly slots: Slots;
  /** What the service needs in order to serve; the body of `/readyz`. */
  readonly readiness: () => Promise<Checks>;
  /** What runs here; the body of `/version`. */
  readonly version: Readonly<Record<string, string>>;
  readonly more?: Readonly<Record<string, Page>>;
  /** The names by which it may be called, besides addresses and `localhost`; in lower case. */
  readonly names?: readonly string[];
}

/** The operators' listener, which is read-only: `/livez`, `/readyz`, `/version`, and the paths of `more`. */
export function opsApplication(settings: OpsSettings): Koa<ServiceState> {
  const { slots, readiness, version, more, names = [] } = settings;
  const pages: Readonly<Record<string, Page>> = {
    ...more,
    // An answer shows that the event loop runs.
    '/livez': () => checked({}, 'alive'),
    '/readyz': async () => checked(await readiness().catch(() => ({ service: false })), 'ready'),
    '/version': () => ({ status: 200, body: JSON.stringify(version) }),
  };
  const router = exactRouter();
  addPages(router, new Map(Object.entries(pages)));
  const isMeant = onlyByName(new Set(['', 'localhost', ...names]));
  const app = koa(settings).use(isMeant).use(slots.middleware).use(slots.hold);
  app.use(router.routes());
  return app;
}

/**
 * A page of another site can have its own name resolve to our address, and would then read the answers (DNS
 * rebinding); it cannot choose another `Host`. Programs may leave it out.
 */
function onlyByName(names: ReadonlySet<string>): Middleware {
  return (context, next) => {
    const [, ipv6, name = ''] =
      /^(?:\[(.*)\]|([^:]*?)\.?)(?::\d*)?$/.exec(context.req.headers.host ?? '') ?? [];
    const isMeant = isIP(ipv6 ?? name) !== 0 || (ipv6 === undefined && names.has(name.toLowerCase()));
    return isMeant ? next() : answer(context, misdirected);
  };
}

function checked(checks: Checks, good: string): Reply {
  const passed = Object.values(checks).every(Boolean);
  const body = JSON.stringify({ status: passed ? good : `not ${good}`, checks });
  return { status: passed ? 200 : 503, body };
}
