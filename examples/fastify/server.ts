import { campaignId, type Outcome, type SetCampaignMirror } from '@campaign-mirror/domain';
import fastify, { type FastifyError } from 'fastify';

/** The status of each outcome. An outcome without a status does not compile. */
const statuses: Record<Outcome['kind'], number> = {
  'mirror-set': 200,
  'condition-failed': 412,
  unauthenticated: 401,
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
  app.setErrorHandler(({ statusCode }: FastifyError, _request, reply) => {
    // A request that Fastify refuses, such as one whose body is not JSON, has a status.
    if (statusCode) return reply.status(statusCode).send();
    // Otherwise a port is unavailable, or the program has a fault. The caller must not see details.
    return reply.status(503).header('Retry-After', 1).send();
  });
  return app;
}
