import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { Asker } from './asker.ts';
import { Tally } from './tally.ts';

/** A round by autocannon: `node autocannon-load.ts PLAN BEFORE PORT CONNECTIONS SECONDS`. Prints a line of JSON. */
const [plan = '', before, port, connections, seconds] = process.argv.slice(2);
const asker = new Asker(JSON.parse(readFileSync(plan, 'utf8')), Number(before));
const tally = new Tally();

/** autocannon puts the message together by itself. */
function setupRequest(request: autocannon.Request): autocannon.Request {
  const text = asker.next();
  const path = text.slice(text.indexOf(' ') + 1, text.indexOf(' HTTP/'));
  const keyAt = text.indexOf('Bearer ');
  const authorization = text.slice(keyAt, text.indexOf('\r\n', keyAt));
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  return { ...request, path, headers: { authorization, 'content-type': 'application/json' }, body };
}

const options: autocannon.Options = {
  url: `http://127.0.0.1:${port}`,
  connections: Number(connections),
  duration: Number(seconds),
  timeout: 15,
  requests: [{ method: 'POST', setupRequest }],
};
// Its own figures are whole milliseconds and classes of statuses.
const running = autocannon(options, (error) => {
  if (error) throw error;
  tally.print(asker.made);
});
running.on('response', (_client, status, _bytes, latency) => tally.answer(status, latency));
running.on('reqError', (error) => tally.error(error.message));
// A Ctrl-C reaches the whole group; who started us decides.
process.on('SIGINT', () => {});
