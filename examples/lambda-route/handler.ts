import { setMirrorListener } from '@campaign-mirror/adapters-http';
import type { SetCampaignMirror } from '@campaign-mirror/domain';
import serverless from 'serverless-http';

/** Answers the events of an API gateway as the service answers requests. */
export function handlerOf(useCase: SetCampaignMirror) {
  return serverless(setMirrorListener({ useCase }));
}
