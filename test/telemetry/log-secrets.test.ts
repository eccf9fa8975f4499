import { roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { logEvents } from '../../packages/app/src/logging/log-events.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { marked, unknownKey } from '../support/secrets.ts';
import { projectFolder } from '../support/workspace.ts';
import { sendEverywhere, steering } from './hostile-requests.ts';

describe('docs: logs: no secret reaches the log, and no line is forged', () => {
  const data = serviceDataOf('test');

  it('requests, faults of the database and an uncaught error contain secrets, and no line does', async () => {
    const { admin, name } = data.database;
    await admin.query(`
      alter table campaign_mirror.mirrors add constraint chosen check (target_url not like '%CHECKED%');
      create function campaign_mirror.quoting() returns trigger language plpgsql as
        $$ begin raise exception 'not %', new.target_url; end $$;
      create trigger quoting before update on campaign_mirror.mirrors for each row
        when (new.target_url like '%RAISED%') execute function campaign_mirror.quoting()`);
    const NODE_OPTIONS = `--import=${projectFolder}test/telemetry/uncaught-error.ts`;
    const more = { LOG_LEVEL: 'trace', NODE_OPTIONS, TRUSTED_PROXIES: '127.0.0.1' };
    const service = await listeningService(data.settings(more));
    const { process, base, ops } = service;
    const secrets = [marked, unknownKey, `cm_${marked}`, `Bearer ${unknownKey}`];
    for (const url of [base, ops]) await sendEverywhere(url, data.key, [...secrets, ...steering]);
    const set = async (requestId: string) => {
      const address = `https://a.example/${requestId}?${marked}`;
      return (await call(data.one(service, { address, requestId }))).status;
    };
    expect([await set('good'), await set('CHECKED'), await set('RAISED')]).to.deep.equal([200, 500, 500]);
    await admin.query(`alter database ${name} connection limit 0`);
    const end = `select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where datname = current_database() and usename = $1`;
    await admin.query(end, [roles.service]);
    expect(await set('away')).to.equal(503);
    await admin.query(`alter database ${name} connection limit -1`);
    await process.event('unavailable');
    process.child.kill('SIGCONT');
    await process.event('failed');
    expect((await process.ended).code).to.equal(1);

    // A hidden secret is shown as `…`.
    expect(process.output).to.match(/^[\n\u0020-\u007e…]+$/);
    const keys = [unknownKey, data.key].flatMap((key) => [key, key.slice(3, 20)]);
    const password = `${data.database.address('service').password}`;
    for (const secret of [marked, ...keys, password])
      for (const text of [process.output, process.errors]) {
        const at = text.indexOf(secret);
        expect(text.slice(Math.max(0, at - 300), at + 100), secret).not.to.include(secret);
      }
    for (const line of process.log) {
      expect(line).to.include.all.keys('level', 'time', 'pid', 'event', 'msg');
      expect(logEvents).to.have.property(String(line.event));
    }
    for (const id of ['CHECKED', 'RAISED']) {
      const events = process.log.filter(({ requestId }) => requestId === id).map(({ event }) => event);
      expect(events).to.have.members(['unexpected', 'request']);
    }
  });
});
