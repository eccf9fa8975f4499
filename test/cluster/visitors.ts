import { setTimeout as pause } from 'node:timers/promises';
import { roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { redirectorIn, type Watched, watched } from '../support/process/redirector.ts';
import { eventually } from '../support/promises.ts';
import { folder } from './machine.ts';
import type { Stage } from './stage.ts';

/** A host that no operator moves mirrors from. */
const address = (number: number) => `https://visited.example/${number}`;

/** Starts a redirector for each server, and visitors of a campaign that changes all the time. */
export async function openVisitors({ patroni, store }: Stage) {
  const { rows } = await store.admin.query(
    'insert into campaign_mirror.campaigns (owner_id) values (1) returning id::float8',
  );
  const campaign: number = rows[0].id;
  await store.admin.query('insert into campaign_mirror.mirrors (campaign_id, target_url) values ($1, $2)', [
    campaign,
    address(0),
  ]);
  const url = (role: 'redirector' | 'operator', place?: string) => {
    const { host, port, password, database } = store.address(role);
    return `postgres://${roles[role]}:${password}@${place ?? `${host}:${port}`}/${database}`;
  };
  const startRedirector = await redirectorIn(folder);
  const watchers: { name: string; visitors: Watched }[] = [];
  for (const machine of patroni.machines) {
    const read = url('redirector', `${machine.address}:5432`);
    const { visit } = await startRedirector({ DATABASE_URL: url('redirector'), READ_DATABASE_URL: read });
    const visitors = watched(async () => (await visit(campaign, 'HEAD')).location);
    watchers.push({ name: machine.name, visitors });
  }

  const end = new AbortController();
  let number = 0;
  /** A change with an unknown outcome is repeated with the same address. */
  const changing = (async () => {
    while (!end.signal.aborted) {
      const words = ['mirror', 'set', `${campaign}`, address(number + 1), '--as-operator'];
      const { code } = await command(words, { DATABASE_URL: url('operator') });
      if (code === 0) number += 1;
      await pause(100);
    }
  })();
  return {
    campaign,
    /** Resolves with the faults, once every visitor has seen the last change. */
    async stop(): Promise<string[]> {
      end.abort();
      await changing;
      const faults: string[] = [];
      for (const { name, visitors } of watchers) {
        await eventually(`visitors of ${name} with ${number}`, () =>
          expect(visitors.last()).to.equal(number),
        );
        await visitors.stop();
        faults.push(...visitors.faults.map((fault) => `visitors of ${name}: ${fault}`));
      }
      return faults;
    },
  };
}
