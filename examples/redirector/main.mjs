import { readFileSync } from 'node:fs';
import pg from 'pg';
import { redirector } from './redirector.mjs';

const { PORT = '8080', HOST = '127.0.0.1' } = process.env;
/** @param {string} name */
const secret = (name) => {
  const file = process.env[`${name}_FILE`];
  return file ? readFileSync(file, 'utf8').trim() : process.env[name];
};
const connectionString = secret('DATABASE_URL');
// After a second without an answer of the database, the visitor gets the last known address.
const limits = { connectionTimeoutMillis: 1_000, query_timeout: 1_000 };
const pool = new pg.Pool(
  connectionString ? { connectionString, ...limits } : { password: secret('PGPASSWORD'), ...limits },
);
// The next query reports why an idle connection ended.
pool.on('error', () => {});
const { server, stop } = redirector(pool);
server.listen(Number(PORT), HOST, () => console.log(`redirects on http://${HOST}:${PORT}/c/CAMPAIGN`));
for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, async () => {
    await stop();
    await pool.end();
  });
