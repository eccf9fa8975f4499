import type { CampaignId } from '@campaign-mirror/domain';
import type Koa from 'koa';

/** What is known of a request while it passes the chain, for its log line and the metrics. */
export interface Call {
  readonly requestId: string;
  /** The caller's IP address, as far as trusted proxies report it; `-` if the connection was lost at once. */
  readonly client: string;
  /** When its headers had been read, by `performance.now()`. */
  readonly began: number;
  /** The pattern of its route, or `-`. */
  route: string;
  campaign: CampaignId | undefined;
  /** Why the status is not 200. */
  because: string | undefined;
  /** It was refused because of the load: counted, but without a line in the log, which would add to the load. */
  overload: boolean;
}

export interface ServiceState {
  call: Call;
}

export type Context = Koa.ParameterizedContext<ServiceState>;
export type Middleware = Koa.Middleware<ServiceState>;
