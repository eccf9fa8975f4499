import { readFileSync } from 'node:fs';
import pg from 'pg';
import { redirector } from './redirector.mjs';

// A lost reader of the log must not affect visitors.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
const { PORT = '8080', HOST = '127.0.0.1' } = process.env;
/** @param {string} name */
const secret = (name) => {
  const file = process.env[`${name}_FILE`];
  return file ? readFileSync(file, 'utf8').trim() : process.env[name];
};
const primary = secret('DATABASE_URL');
const standby = secret('READ_DATABASE_URL') || primary;

/** @param {string | undefined} connectionString @param {number} max @param {number} query_timeout in milliseconds */
function open(connectionString, max, query_timeout) {
  const address = connectionString ? { connectionString } : { password: secret('PGPASSWORD') };
  const pool = new pg.Pool({ ...address, max, query_timeout, connectionTimeoutMillis: 1_000 });
  // The next query reports why an idle connection ended.
  return pool.on('error', () => {});
}
const { server, stop } = redirector({
  reads: open(standby, 10, 1_000),
  feed: open(standby, 1, 1_000),
  clicks: open(primary, 1, 2_000),
});
server.listen(Number(PORT), HOST, () => console.log(`redirects on http://${HOST}:${PORT}/c/CAMPAIGN`));

/** @type {Promise<void> | undefined} */
let ending;
async function end() {
  const lost = await stop();
  if (lost > 0) console.error(`${lost} clicks could not be written`);
  process.exit(lost > 0 ? 1 : 0);
}
// A terminal and npm may both send a signal.
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => (ending ??= end()));
