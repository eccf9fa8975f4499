import { createServer } from 'node:http';

/** Answers every request with the same 200 at once: whoever measures with a generator can not see more than this. */
const body = JSON.stringify({
  mirror: {
    id: 1,
    campaign_id: 1,
    target_url: `https://mirror.example/landing?click={click_id}&n=1000000001`,
    clicks: 0,
    updated_externally: true,
    updated_externally_at: '2026-11-20T15:36:00.123456Z',
    created_at: '2026-11-20T15:36:00.123456Z',
    updated_at: '2026-11-20T15:36:00.123456Z',
  },
});
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length };

createServer((request, response) => {
  request.resume();
  response.writeHead(200, headers).end(body);
}).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
