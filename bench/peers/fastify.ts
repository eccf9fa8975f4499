import fastify from 'fastify';
import pg from 'pg';
import { path } from './contract.ts';
import { answerFrom } from './pg.ts';

/** Fastify and pg. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const app = fastify();

app.post<{ Params: { campaign: string } }>(path, async (request, reply) => {
  const { status, body } = await answerFrom(
    pool,
    request.params.campaign,
    request.headers.authorization,
    request.body,
  );
  return reply.code(status).send(body);
});

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.once('SIGTERM', () => process.exit());
