import type { Middleware } from '@campaign-mirror/adapters-http';
import type { DatabaseAddress, HotPathObserver } from '@campaign-mirror/adapters-persistence';
import type { CampaignRepository, Identity } from '@campaign-mirror/domain';

/** Traces of the service, as OpenTelemetry spans. */
export interface Traces {
  /** Carries out each request within its trace. */
  readonly requests: Middleware;
  /** The port, with a span for each call of a traced request. */
  identity(port: Identity): Identity;
  campaigns(port: CampaignRepository): CampaignRepository;
  /** A span for each statement of one or several traced requests. */
  statements(database: DatabaseAddress): HotPathObserver;
  /** Sends what is left, in bounded time. */
  close(): Promise<void>;
}
