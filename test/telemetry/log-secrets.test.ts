import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { schemaFaults } from '../support/documents/log-schema.ts';
import { call } from '../support/http/caller.ts';
import { requestsWith, send } from '../support/http/hostile-requests.ts';
import { type DataFolder, dataFolder } from '../support/process/data-folder.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import {
  endAll,
  type Listening,
  listeningService,
  projectFolder,
  type RunningProcess,
  startService,
} from '../support/process/service-process.ts';
import { marked, unknownKey } from '../support/secrets.ts';

/** Every place where a caller can put a secret, on both listeners. */
async function sendEverywhere({ base, ops }: Listening, key: string): Promise<void> {
  for (const listener of [base, ops]) {
    const port = Number(new URL(listener).port);
    for (const secret of [marked, unknownKey, `cm_${marked}`, `Bearer ${unknownKey}`]) {
      await Promise.all(requestsWith(secret, key).map((bytes) => send(port, bytes)));
    }
  }
}

const crash = `--import=${projectFolder}test/support/process/uncaught-error.ts`;

function expectNone(texts: readonly string[], secrets: readonly string[]): void {
  for (const secret of secrets) {
    for (const text of texts) {
      const at = text.indexOf(secret);
      expect(text.slice(Math.max(0, at - 300), at + 100), `${secret} in`).not.to.include(secret);
    }
  }
}

const said = ({ output, errors }: RunningProcess) => [output, errors];

describe('docs/reference/logs.md: no secret reaches an output', () => {
  describe('on a database by DATABASE_URL', () => {
    const data = serviceDataOf('test');
    const settings = (more: Record<string, string> = {}) => ({
      ...data.settings(),
      LOG_LEVEL: 'trace',
      ...more,
    });
    const one = ({ base }: Listening, address: string) => data.one({ base }, { address });
    /** Whatever may not be said: what was sent, the keys, and the password of the database. */
    const secrets = () => {
      const keys = [unknownKey, data.key].flatMap((key) => [key, key.slice(3, 20)]);
      return [marked, ...keys, String(data.database.address('service').password)];
    };
    /** Nothing secret was said, nor anything that docs/reference/logs.md does not have. */
    function expectSilence(process: RunningProcess): void {
      expectNone(said(process), secrets());
      expect(schemaFaults(process.output)).to.deep.equal([]);
    }

    it('by requests, good, bad and malformed', async () => {
      const service = await listeningService(settings());
      await sendEverywhere(service, data.key);
      expect((await call(one(service, `https://a.example/${marked}`))).status).to.equal(200);
      expect((await service.process.stop()).code).to.equal(0);
      expectSilence(service.process);
    });

    it('by faults of the database that quote what was sent', async () => {
      await data.database.admin.query(`
        alter table campaign_mirror.mirrors add constraint chosen check (target_url not like '%CHECKED%');
        create function campaign_mirror.quoting() returns trigger language plpgsql as
          $$ begin raise exception 'not %', new.target_url; end $$;
        create trigger quoting before update on campaign_mirror.mirrors for each row
          when (new.target_url like '%RAISED%') execute function campaign_mirror.quoting()`);
      const service = await listeningService(settings());
      for (const how of ['CHECKED', 'RAISED']) {
        const requestId = `request-${how}`;
        const address = `https://a.example/${how}?${marked}`;
        expect((await call({ ...one(service, address), requestId })).status).to.equal(500);
        const lines = await service.process.says(() => {
          const found = service.process.log.filter((line) => line.requestId === requestId);
          return found.length === 2 ? found : undefined;
        });
        expect(
          lines.map(({ event }) => event),
          'both by the request',
        ).to.have.members(['unexpected', 'request']);
      }
      await service.process.stop();
      expectSilence(service.process);
    });

    it('by a database that goes away, and an uncaught error', async () => {
      const service = await listeningService(settings({ NODE_OPTIONS: crash }));
      await data.database.admin.query(`alter database ${data.database.name} connection limit 0`);
      await data.database.admin.query(
        'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and usename = $1',
        [roles.service],
      );
      const answer = await call(one(service, `https://a.example/${marked}`));
      await data.database.admin.query(`alter database ${data.database.name} connection limit -1`);
      expect(answer.status).to.equal(503);
      await service.process.event('unavailable');
      service.process.child.kill('SIGCONT');
      await service.process.event('failed');
      expect((await service.process.ended).code).to.equal(1);
      expectSilence(service.process);
    });

    it('by a start that fails', async () => {
      const changes: object[] = [{ username: 'campaign_mirror_nobody' }, { host: 'no-such-host.invalid' }];
      const wrong = changes.map(
        (change) =>
          Object.assign(new URL(data.database.url('service')), { password: marked, ...change }).href,
      );
      const processes = wrong.map((one) =>
        startService(settings({ DATABASE_URL: one, DATABASE_WAIT: '0s' })),
      );
      for (const { ended } of processes) expect((await ended).code).to.equal(1);
      expectNone(processes.flatMap(said), secrets());
    });
  });

  it('by a setting that is refused', () => {
    const urls = [
      `postgres://me:${marked}`,
      `postgres://me:${marked}/${marked}@host/db`,
      `postgres://me:${marked}@host/db?sslmode=${marked}`,
      marked,
    ];
    const read = urls.map((url) => readSettings({ DATABASE_URL: url }));
    expect(read.filter((one) => !('wrong' in one))).to.deep.equal([]);
    expectNone([JSON.stringify(read)], [marked]);
  });

  describe('on the embedded database', () => {
    let folder: DataFolder;
    beforeEach(async () => {
      folder = await dataFolder();
    });
    afterEach(async () => {
      await endAll();
      await folder.remove();
    });

    async function files(): Promise<{ name: string; text: string }[]> {
      const found = await readdir(folder.path, { recursive: true, withFileTypes: true });
      const names = found.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
      return Promise.all(names.map(async (name) => ({ name, text: await readFile(name, 'latin1') })));
    }

    it('nor a file where it does not belong', async () => {
      const service = await listeningService({ DATA_DIR: folder.path, LOG_LEVEL: 'trace', DEMO: 'on' });
      await service.process.says(() => service.process.output.includes('demo remove') || undefined);
      const key = /Bearer (cm_\w+)/.exec(service.process.output)?.[1] ?? '';
      const campaign = Number(/campaign\/(\d+)\//.exec(service.process.output)?.[1]);
      await sendEverywhere(service, key);
      const stored = 'https://stored.example/STORED-ADDRESS';
      expect((await call({ base: service.base, campaign, key, address: stored })).status).to.equal(200);
      const passwords: string[] = Object.values(
        JSON.parse(await readFile(join(folder.path, 'cluster', 'passwords.json'), 'utf8')),
      );
      expect(passwords).to.have.length(5);
      service.process.child.kill('SIGTERM');
      await once(service.process.child, 'close');

      const all = await files();
      const others = all.filter(({ name }) => !name.endsWith('passwords.json')).map(({ text }) => text);
      const logs = all.filter(({ name }) => name.endsWith('/postgresql.log')).map(({ text }) => text);
      expect(logs).not.to.deep.equal([]);
      const log = service.process.output
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .join('\n');
      const outputs = [service.process.errors, ...logs];
      expectNone([...outputs, log, ...others], [marked, unknownKey, ...passwords, key]);
      expectNone([...outputs, log], ['STORED-ADDRESS', key.slice(3, 20)]);
      expect(schemaFaults(service.process.output)).to.deep.equal([]);
    });
  });
});
