import { campaignId, type Outcome, type SetCampaignMirror } from '@campaign-mirror/domain';
import fastify, { type FastifyError } from 'fastify';

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

/** Without a `url` the outcome is `no-address`. */
const schema = { body: { type: 'object', properties: { url: { type: 'string' } } } };

export function server(useCase: SetCampaignMirror) {
  const app = fastify();
  app.put<{ Params: { id: string }; Body: { url?: string } }>(
    '/campaigns/:id/mirror',
    { schema },
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
  // What Fastify refuses, such as a body that is not JSON, has a status. Else a port is unavailable, or there is a fault:
  // nothing of it reaches the caller.
  app.setErrorHandler(({ statusCode }: FastifyError, _request, reply) =>
    statusCode ? reply.status(statusCode).send() : reply.status(503).header('Retry-After', 1).send(),
  );
  return app;
}
