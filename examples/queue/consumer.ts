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

/** The credential is the owner that the message names: whoever can write to the queue is trusted. */
const producer: Identity = {
  async whoIs(credential) {
    const owner = ownerId(credential);
    const by = subject('queue', 'set-mirror');
    return owner && by && { ownerId: owner, subject: by };
  },
};

/**
 * Delivery is at least once: a job is delivered again if the process ends during it, or if `execute` throws `Unavailable`,
 * when the outcome is unknown. Setting the same address again is safe, unless somebody else set another one meanwhile.
 */
export async function consume(boss: PgBoss, queue: string, campaigns: CampaignRepository): Promise<void> {
  const useCase = new SetCampaignMirror(campaigns, producer);
  await boss.createQueue(queue, { retryLimit: 5, retryDelay: 1, retryBackoff: true });
  await boss.work(queue, { pollingIntervalSeconds: 0.5 }, async ([job]: Job<SetMirror>[]) => {
    if (!job) return;
    const { owner, campaign, url } = job.data;
    // A refusal is an outcome: delivering the job again would not change it.
    return useCase.execute({
      credential: owner,
      campaign: campaignId(campaign),
      address: url,
      requestId: job.id,
    });
  });
}
