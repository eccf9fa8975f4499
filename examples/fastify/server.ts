import { campaignId, type Outcome, type SetCampaignMirror } from '@campaign-mirror/domain';
import fastify from 'fastify';

/** A status for each outcome: one that is added later does not compile until it has one. */
const statuses: Record<Outcome['kind'], number> = {
  'mirror-set': 200,
  unauthenticated: 401,
  'over-limit': 429,
  'campaign-not-found': 404,
  refused: 403,
  'no-address': 422,
  'invalid-address': 422,
};

export function server(useCase: SetCampaignMirror) {
  const app = fastify();
  app.put<{ Params: { id: string }; Body: { url?: string } }>(
    '/campaigns/:id/mirror',
    async ({ params, body, headers, id: requestId }, reply) => {
      const outcome = await useCase.execute({
        credential: headers.authorization?.replace(/^Bearer /, '') ?? '',
        campaign: campaignId(params.id),
        address: body.url,
        requestId,
      });
      return reply.status(statuses[outcome.kind]).send(outcome);
    },
  );
  // A port that is unavailable, or a fault: nothing of it reaches the caller.
  app.setErrorHandler((_error, _request, reply) => reply.status(503).header('Retry-After', 1).send());
  return app;
}
