import fastify from 'fastify';
import { path } from './contract.ts';
import { answer } from './pg.ts';

/** Fastify and pg. */
const app = fastify();

app.post<{ Params: { campaign: string } }>(path, async (request, reply) => {
  const { status, body } = await answer(request.params.campaign, request.headers.authorization, request.body);
  return reply.code(status).send(body);
});

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.once('SIGTERM', () => process.exit());
