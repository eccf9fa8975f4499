import { roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { schemaFaults } from '../support/documents/log-schema.ts';
import { databaseOf } from '../support/process/lives.ts';
import { type LogLine, listeningService } from '../support/process/service-process.ts';

describe('docs/reference/logs.md: a start with too many rights', () => {
  const database = databaseOf('test');

  async function warnings(url: string, settings = {}): Promise<LogLine[]> {
    const { process } = await listeningService({ DATABASE_URL: url, ...settings });
    await process.stop();
    expect(schemaFaults(process.output)).to.deep.equal([]);
    return process.log.filter(({ event }) => event === 'rights-beyond-need');
  }

  it('the role that is meant for the service gets no report', async () => {
    expect(await warnings(database.url('service'), { RUN_MIGRATIONS: 'false' })).to.deep.equal([]);
  });

  it('the owner of the schema is told that it is', async () => {
    const [warning, ...others] = await warnings(database.url('owner'));
    expect(others).to.deep.equal([]);
    expect(warning).to.include({ level: 40, user: roles.owner, ownsSchema: true });
    expect(warning?.powers).to.deep.equal([]);
  });

  it('each right beyond the need is told, once for all workers', async () => {
    await database.admin.query(`grant delete on campaign_mirror.mirror_history to ${roles.service}`);
    const [warning, ...others] = await warnings(database.url('service'), {
      RUN_MIGRATIONS: 'false',
      WORKERS: '2',
    });
    expect(others).to.deep.equal([]);
    expect(warning).to.include({ user: roles.service, ownsSchema: false });
    expect(warning?.rights).to.deep.equal(['delete on mirror_history']);
  });

  describe('on a server that trusts everybody', () => {
    let server: DedicatedServer;
    before(async () => {
      server = await dedicatedServer();
    });
    after(() => server.remove());

    it('a superuser is told that it is one', async () => {
      const { host, port } = server.address('postgres');
      const [warning] = await warnings(`postgres://postgres@${host}:${port}/postgres`);
      expect(warning).to.include({ user: 'postgres' });
      expect(warning?.powers).to.include('superuser');
    });
  });
});
