import type { RequestTraces } from '@campaign-mirror/adapters-http';
import type { DatabaseAddress, HotPathObserver } from '@campaign-mirror/adapters-persistence';
import type { CampaignRepository, Identity } from '@campaign-mirror/domain';

/** Traces of what the service does, as spans by OpenTelemetry. */
export interface Traces {
  readonly requests: RequestTraces;
  /** The port with a span for each call that a traced request makes of it. */
  identity(port: Identity): Identity;
  campaigns(port: CampaignRepository): CampaignRepository;
  /** A span for each statement of a traced request, or of several. */
  statements(database: DatabaseAddress): HotPathObserver;
  /** Sends what is left, in bounded time. */
  close(): Promise<void>;
}
