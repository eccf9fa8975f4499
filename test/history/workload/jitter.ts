import { roles } from '@campaign-mirror/adapters-persistence';
import type { Store } from './store.ts';

/** Of how many looks one takes longer, and by how many milliseconds at most. */
const [one, longest] = [60, 40];

/**
 * From now on who looks at a campaign or a mirror sometimes takes a while between seeing it and locking it, so that
 * what others do falls in between.
 */
export async function jitter({ admin }: Store): Promise<void> {
  await admin.query(`
    create function campaign_mirror.take_a_while() returns boolean language plpgsql as $$
      begin
        if random() * ${one} < 1 then perform pg_sleep(random() * ${longest} / 1000); end if;
        return true;
      end
    $$`);
  for (const table of ['campaigns', 'mirrors']) {
    await admin.query(`create policy jitter on campaign_mirror.${table}
      to ${Object.values(roles)} using (campaign_mirror.take_a_while())`);
    await admin.query(`alter table campaign_mirror.${table} enable row level security`);
  }
}
