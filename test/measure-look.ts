import { migrate } from '@campaign-mirror/adapters-persistence';
import pg from 'pg';
import { replicated } from './support/database/standby.ts';
const { redirector } = await import('../examples/redirector/redirector.mjs' as string);
const N = 1000;
const stage = await replicated(async (primary) => {
  await migrate(primary.address('postgres'));
  const c = new pg.Client(primary.address('postgres')); await c.connect();
  await c.query(`insert into campaign_mirror.campaigns (owner_id) select 7 from generate_series(1, ${N + 1});
   insert into campaign_mirror.mirrors (campaign_id, owner_id, is_default, target_url) select id, 7, false, 'https://a.example/' from campaign_mirror.campaigns`);
  await c.end();
});
const w = new pg.Client(stage.primary.address('postgres')); await w.connect();
const open = new pg.Client(stage.primary.address('postgres')); await open.connect();
const at = stage.standby.address('postgres');
const pools = { reads: new pg.Pool({ ...at, max: 10 }).on('error', () => {}), feed: new pg.Pool({ ...at, max: 1, query_timeout: 1000 }), clicks: new pg.Pool({ ...stage.primary.address('postgres'), max: 1 }) };
let reads = 0; const took: number[] = [];
const r = { query: (t: string, v: any) => { if (!Array.isArray(v[0])) reads++; return pools.reads.query(t, v); } };
const f = { connect: async () => { const c = await pools.feed.connect(); const q = c.query.bind(c) as any; (c as any).query = async (t: string, v: any) => { const b = performance.now(); try { return await q(t, v); } finally { took.push(performance.now() - b); } }; return c; } };
const { server, stop } = redirector({ reads: r, feed: f, clicks: pools.clicks });
await new Promise<void>((d) => server.listen(0, '127.0.0.1', () => d()));
const base = `http://127.0.0.1:${server.address().port}/c/`;
await open.query('begin; update campaign_mirror.mirrors set clicks = 1 where campaign_id = ' + (N + 1));
// Visit 200 campaigns that do not change (801..1000) and 100 that do, all the time.
let going = true;
const visitors = (async () => { for (let i = 0; going; i++) await fetch(base + (1 + (i * 7) % N), { redirect: 'manual' }).then((x) => x.text()); })();
const begun = performance.now();
let changes = 0;
for (let s = 0; s < 60; s++) {
  reads = 0; took.length = 0;
  for (let part = 0; part < 10; part++) {
    // 100 changes each tenth of a second, of 100 of the campaigns.
    await w.query(`select count(*) from campaign_mirror.set_mirrors((select array_agg(id) from generate_series(1::bigint, 100) id), array_fill(null::bigint, '{100}'), array_fill(null::boolean,'{100}'), array_fill('https://b.example/' || random()::text, '{100}'), array_fill(null::text, '{100}'), array_fill(null::bigint,'{100}'), array_fill('jwt'::text,'{100}'), array_fill('me'::text,'{100}'), array_fill('r'::text,'{100}'), false)`).catch((e) => { console.log(e.message); process.exit(1); });
    changes += 100;
    const due = begun + s * 1000 + (part + 1) * 100 - performance.now();
    if (due > 0) await new Promise((d) => setTimeout(d, due));
  }
  if (s % 10 === 9 || s === 0) console.log(`${s + 1} s: ${changes} changes, reads in the last second ${reads}, looks ${took.length}, longest ${Math.max(...took).toFixed(1)} ms, median ${took.sort((a, b) => a - b)[took.length >> 1]?.toFixed(1)} ms`);
}
const { rows } = await new pg.Pool(stage.primary.address('postgres')).query('select count(*) from campaign_mirror.mirror_history');
console.log(rows);
going = false; await visitors; await stop(); await stage.remove(); process.exit();
