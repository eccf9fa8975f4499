import {
  type CampaignRepository,
  campaignId,
  type Identity,
  ownerId,
  SetCampaignMirror,
  subject,
} from '@campaign-mirror/domain';
import type { Job, PgBoss } from 'pg-boss';

/** The message of a producer, which has identified its user already. */
export interface SetMirror {
  readonly owner: string;
  readonly campaign: string;
  readonly url: string;
}

/** Every producer is trusted: a message names its owner, and there are no credentials. */
const nobody: Identity = { whoIs: async () => undefined };
const by = subject.of('queue', 'set-mirror');

/**
 * Delivery is at least once: a job is delivered again if the process ends during it, or if `execute` throws
 * `Unavailable`, because the outcome is unknown. Repeating an address is safe, unless somebody else set another one.
 */
export async function consume(boss: PgBoss, queue: string, campaigns: CampaignRepository): Promise<void> {
  const useCase = new SetCampaignMirror(campaigns, nobody);
  await boss.createQueue(queue, { retryLimit: 5, retryDelay: 1, retryBackoff: true });
  await boss.work(queue, { pollingIntervalSeconds: 0.5 }, async ([job]: Job<SetMirror>[]) => {
    if (!job) return;
    const { campaign, url } = job.data;
    const owner = ownerId(job.data.owner);
    if (!owner) return { kind: 'unauthenticated', because: 'no owner' };
    // A refusal is an outcome: delivering the job again would not change it.
    return useCase.execute({
      caller: { ownerId: owner, subject: by },
      campaign: campaignId(campaign),
      address: url,
      requestId: job.id,
    });
  });
}
