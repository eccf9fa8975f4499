import { setMirrorListener } from '@campaign-mirror/adapters-http';
import { issuerKeys, isTokenForm, JwtIdentity } from '@campaign-mirror/adapters-jwt';
import { type CampaignRepository, SetCampaignMirror } from '@campaign-mirror/domain';
import serverless from 'serverless-http';

/**
 * Answers the events of an API gateway as the service answers requests; callers have tokens of this issuer. `keySet` is the
 * address of its keys. Call this once, so that the keys are kept between invocations.
 */
export function handlerOf(campaigns: CampaignRepository, issuer: string, keySet: URL) {
  const rules = {
    issuer,
    audience: 'campaign-mirror',
    algorithms: ['ES256', 'RS256'],
    clockTolerance: 5_000,
    ownerClaim: 'owner_id',
    subjectClaim: 'sub',
  };
  const useCase = new SetCampaignMirror(campaigns, new JwtIdentity(rules, issuerKeys({ url: keySet })));
  return serverless(setMirrorListener({ useCase, isWellFormed: isTokenForm }));
}
