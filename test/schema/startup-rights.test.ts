import { roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { schemaFaults } from '../support/documents/log-schema.ts';
import { databaseOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';

describe('docs/reference/logs.md: a start with too many rights', () => {
  const database = databaseOf('test');

  /** The check and the message of each warning. */
  async function warnings(url: string, settings = {}): Promise<string[]> {
    const { process } = await listeningService({ DATABASE_URL: url, ...settings });
    await process.stop();
    expect(schemaFaults(process.output)).to.deep.equal([]);
    const lines = process.log.filter(({ event }) => event === 'check-warned');
    for (const { level } of lines) expect(level).to.equal(40);
    return lines.map(({ check, msg }) => `${check}: ${msg}`);
  }

  it('the role that is meant for the service gets no report', async () => {
    expect(await warnings(database.url('service'), { RUN_MIGRATIONS: 'false' })).to.deep.equal([]);
  });

  it('the owner of the schema is told that it is', async () => {
    expect(await warnings(database.url('owner'))).to.deep.equal([
      `rights: the user "${roles.owner}" owns the schema, and so may change all that is in it: ` +
        'use it for `./campaign-mirror migrate` only, and start the service as campaign_mirror_service',
    ]);
  });

  it('each right beyond the need is told', async () => {
    await database.admin.query(`grant delete on campaign_mirror.mirror_history to ${roles.service}`);
    expect(await warnings(database.url('service'), { RUN_MIGRATIONS: 'false' })).to.deep.equal([
      `rights: the user "${roles.service}" may do more than the service needs: delete on mirror_history: ` +
        `revoke it, or use ${roles.service}`,
    ]);
  });

  describe('on a server that trusts everybody', () => {
    let server: DedicatedServer;
    before(async () => {
      server = await dedicatedServer();
    });
    after(() => server.remove());

    it('a superuser is told that it is one', async () => {
      const { host, port } = server.address('postgres');
      const [warning, ...others] = await warnings(`postgres://postgres@${host}:${port}/postgres`);
      expect(warning).to.match(/^rights: the user "postgres" has more power than is needed: superuser, /);
      expect(others).to.deep.equal([]);
    });
  });
});
