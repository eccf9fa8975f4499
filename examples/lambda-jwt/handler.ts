import { issuerKeys, JwtIdentity } from '@campaign-mirror/adapters-jwt';
import {
  type CampaignRepository,
  campaignId,
  type Outcome,
  SetCampaignMirror,
} from '@campaign-mirror/domain';

/** The part of an API gateway's event that is read. */
export interface Event {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly pathParameters: { readonly campaign: string };
  readonly body: string | null;
  readonly requestContext: { readonly requestId: string };
}

const statuses: Record<Outcome['kind'], number> = {
  'mirror-set': 200,
  'condition-failed': 412,
  unauthenticated: 401,
  'campaign-not-found': 404,
  refused: 403,
  'no-address': 422,
  'invalid-address': 422,
};

/** `keySet` is the address of the issuer's keys. Call this once, so that the keys are kept between invocations. */
export function handler(campaigns: CampaignRepository, issuer: string, keySet: URL) {
  const rules = {
    issuer,
    audience: 'campaign-mirror',
    ownerClaim: 'owner_id',
    subjectClaim: 'sub',
  };
  const useCase = new SetCampaignMirror(campaigns, new JwtIdentity(rules, issuerKeys({ url: keySet })));

  return async ({ headers, pathParameters, body, requestContext }: Event) => {
    try {
      const outcome = await useCase.execute({
        credential: headers.authorization?.replace(/^Bearer /, '') ?? '',
        campaign: campaignId(pathParameters.campaign),
        address: addressIn(body),
        requestId: requestContext.requestId,
      });
      return { statusCode: statuses[outcome.kind], body: JSON.stringify(outcome) };
    } catch {
      // `Unavailable`, or a fault: the outcome is unknown, and the caller may repeat the call.
      return { statusCode: 503, body: '' };
    }
  };
}

function addressIn(body: string | null): string | undefined {
  try {
    const { mirror_endpoint: address } = JSON.parse(body ?? '');
    return typeof address === 'string' ? address : undefined;
  } catch {
    return undefined;
  }
}
