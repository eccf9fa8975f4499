import { setTimeout as pause } from 'node:timers/promises';
import { RawConnection } from '../../support/http/connection.ts';
import { unknownKey } from '../../support/secrets.ts';
import type { Random } from '../workload/known.ts';
import type { Recorder } from '../workload/recorder.ts';
import type { Stage } from './stage.ts';

/** Resolves when its cause is gone. */
export type Fault = (
  stage: Stage,
  during: { readonly recorder: Recorder; readonly random: Random },
) => Promise<void>;

/** In milliseconds: longer than a statement of the service may take. */
const [stopped, held] = [10_000, 7_000];
const tables = ['campaigns', 'mirrors', 'access_keys', 'mirror_history'];
/** For how many milliseconds callers vanish, and how many at once. */
const [lasting, together] = [8_000, 50];

/** Nobody's: it stores nothing, whatever becomes of it. */
const request = [
  'POST /public/v1/mirror/campaign/1/mirror HTTP/1.1',
  'Host: a',
  `Authorization: Bearer ${unknownKey}`,
  'Content-Type: application/json',
  'Content-Length: 40',
  '',
  '{"mirror_endpoint":"https://a.example/"}',
].join('\r\n');

export const faults = {
  'database-killed': async ({ server }, { recorder }) => {
    const felt = recorder.next(({ status }) => status === 503);
    await server.kill();
    await felt;
    await server.start();
  },
  'database-frozen': async ({ server }) => {
    server.freeze();
    await pause(stopped);
    server.thaw();
  },
  /** All of them are locked until this is committed. */
  'tables-altered': async ({ admin }) => {
    const holder = await admin.connect();
    await holder.query('begin');
    for (const table of tables)
      await holder.query(`alter table campaign_mirror.${table} add column altered integer`);
    await pause(held);
    await holder.query('commit');
    holder.release();
  },
  /** What was asked before is still carried out by the database. */
  'network-cut': async ({ proxy }, { random }) => {
    for (let number = 0; number < 30; number++) {
      proxy.cut();
      await pause(random.below(200));
    }
  },
  'service-killed': async ({ services, another }) => {
    await services.pop()?.process.stop('SIGKILL');
    await another();
  },
  'service-frozen': async ({ services }) => {
    for (const { process } of services) process.child.kill('SIGSTOP');
    await pause(3_000);
    for (const { process } of services) process.child.kill('SIGCONT');
  },
  /** In the middle of a request or behind it. */
  'clients-vanishing': async ({ base }, { random }) => {
    const port = Number(new URL(base).port);
    for (const end = performance.now() + lasting; performance.now() < end; ) {
      const all = await Promise.all(Array.from({ length: together }, () => RawConnection.open(port)));
      await Promise.all(all.map((one) => one.send(request.slice(0, random.below(2 * request.length)))));
      await pause(random.below(20));
      await Promise.all(all.map((connection) => connection.reset()));
    }
  },
} satisfies Record<string, Fault>;
