import { once } from 'node:events';
import { glob, readFile } from 'node:fs/promises';
import { roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { schemaFaults } from '../support/documents/log-schema.ts';
import { call } from '../support/http/caller.ts';
import { dataFolderOf, serviceDataOf } from '../support/process/lives.ts';
import {
  type Listening,
  listeningService,
  type RunningProcess,
  startService,
} from '../support/process/service-process.ts';
import { marked, unknownKey } from '../support/secrets.ts';
import { projectFolder } from '../support/workspace.ts';
import { requestsWith, send } from './hostile-requests.ts';

/** Every place where a caller can put a secret, on both listeners. */
async function sendEverywhere({ base, ops }: Listening, key: string): Promise<void> {
  for (const listener of [base, ops])
    for (const secret of [marked, unknownKey, `cm_${marked}`, `Bearer ${unknownKey}`]) {
      const port = Number(new URL(listener).port);
      await Promise.all(requestsWith(secret, key).map((bytes) => send(port, bytes)));
    }
}

function expectNone(texts: readonly string[], secrets: readonly string[]): void {
  for (const secret of secrets)
    for (const text of texts) {
      const at = text.indexOf(secret);
      expect(text.slice(Math.max(0, at - 300), at + 100), `${secret} in`).not.to.include(secret);
    }
}

describe('docs/reference/logs.md: no secret reaches an output', () => {
  describe('on a database by DATABASE_URL', () => {
    const data = serviceDataOf('test');
    const serving = (more: Record<string, string> = {}) =>
      listeningService(data.settings({ LOG_LEVEL: 'trace', ...more }));
    /** Neither what was sent, nor a key, nor the password of the database, nor what docs/reference/logs.md does not have. */
    function expectSilence({ output, errors }: RunningProcess): void {
      const keys = [unknownKey, data.key].flatMap((key) => [key, key.slice(3, 20)]);
      expectNone([output, errors], [marked, ...keys, `${data.database.address('service').password}`]);
      expect(schemaFaults(output)).to.deep.equal([]);
    }

    it('by requests, good, bad and malformed, nor by faults of the database that quote what was sent', async () => {
      await data.database.admin.query(`
        alter table campaign_mirror.mirrors add constraint chosen check (target_url not like '%CHECKED%');
        create function campaign_mirror.quoting() returns trigger language plpgsql as
          $$ begin raise exception 'not %', new.target_url; end $$;
        create trigger quoting before update on campaign_mirror.mirrors for each row
          when (new.target_url like '%RAISED%') execute function campaign_mirror.quoting()`);
      const service = await serving();
      await sendEverywhere(service, data.key);
      for (const [requestId, status] of [
        ['good', 200],
        ['CHECKED', 500],
        ['RAISED', 500],
      ] as const) {
        const address = `https://a.example/${requestId}?${marked}`;
        expect((await call(data.one(service, { address, requestId }))).status).to.equal(status);
      }
      expect((await service.process.stop()).code).to.equal(0);
      expectSilence(service.process);
      for (const id of ['CHECKED', 'RAISED']) {
        const lines = service.process.log.filter(({ requestId }) => requestId === id);
        expect(lines.map(({ event }) => event)).to.have.members(['unexpected', 'request']);
      }
    });

    it('by a database that goes away, and an uncaught error', async () => {
      const NODE_OPTIONS = `--import=${projectFolder}test/telemetry/uncaught-error.ts`;
      const service = await serving({ NODE_OPTIONS });
      const { admin, name } = data.database;
      await admin.query(`alter database ${name} connection limit 0`);
      await admin.query(
        'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and usename = $1',
        [roles.service],
      );
      const answer = await call(data.one(service, { address: `https://a.example/${marked}` }));
      await admin.query(`alter database ${name} connection limit -1`);
      expect(answer.status).to.equal(503);
      await service.process.event('unavailable');
      service.process.child.kill('SIGCONT');
      await service.process.event('failed');
      expect((await service.process.ended).code).to.equal(1);
      expectSilence(service.process);
    });

    it('by a start that fails, or a setting that is refused', async () => {
      const wrong: object[] = [{ username: 'campaign_mirror_nobody' }, { host: 'no-such-host.invalid' }];
      for (const change of wrong) {
        const url = Object.assign(new URL(data.database.url('service')), { password: marked }, change);
        const process = startService({ DATABASE_URL: url.href, DATABASE_WAIT: '0s', LOG_LEVEL: 'trace' });
        expect((await process.ended).code).to.equal(1);
        expectSilence(process);
      }
      const refused = [
        `me:${marked}`,
        `me:${marked}/${marked}@host/db`,
        `me:${marked}@host/db?sslmode=${marked}`,
      ];
      for (const DATABASE_URL of [...refused.map((one) => `postgres://${one}`), marked]) {
        const read = readSettings({ DATABASE_URL });
        expect(read).to.have.property('wrong');
        expectNone([JSON.stringify(read)], [marked]);
      }
    });
  });

  describe('on the embedded database', () => {
    const folder = dataFolderOf('suite');

    it('nor a file where it does not belong', async () => {
      const service = await listeningService({ DATA_DIR: folder.path, LOG_LEVEL: 'trace', DEMO: 'on' });
      await service.process.says(() => service.process.output.includes('demo remove') || undefined);
      const [, campaign, key = ''] =
        /campaign\/(\d+)\/mirror.* Bearer (cm_\w+)/s.exec(service.process.output) ?? [];
      await sendEverywhere(service, key);
      const address = 'https://stored.example/STORED-ADDRESS';
      const stored = await call({ base: service.base, campaign: Number(campaign), key, address });
      expect(stored.status).to.equal(200);
      const passwordsFile = `${folder.path}/cluster/passwords.json`;
      const passwords: string[] = Object.values(JSON.parse(await readFile(passwordsFile, 'utf8')));
      expect(passwords).to.have.length(5);
      service.process.child.kill('SIGTERM');
      await once(service.process.child, 'close');

      const files: string[] = [];
      const logs: string[] = [];
      for await (const entry of glob('**', { cwd: folder.path, withFileTypes: true })) {
        if (!entry.isFile() || entry.name === 'passwords.json') continue;
        const text = await readFile(`${entry.parentPath}/${entry.name}`, 'latin1');
        files.push(text);
        if (entry.name === 'postgresql.log') logs.push(text);
      }
      expect(files).to.have.length.above(500);
      expect(logs).not.to.deep.equal([]);
      // What newcomers are shown has the key.
      const log = service.process.output.replaceAll(/^[^{].*\n/gm, '');
      const outputs = [log, service.process.errors, ...logs];
      expectNone([...outputs, ...files], [marked, unknownKey, ...passwords, key]);
      expectNone(outputs, ['STORED-ADDRESS', key.slice(3, 20)]);
      expect(schemaFaults(service.process.output)).to.deep.equal([]);
    });
  });
});
