import type { Agent } from 'node:http';
import { expect } from 'chai';
import { gateBeforeCommit, shutGate } from '../support/database/gate.ts';
import { type Rival, untilWaiting } from '../support/database/rival.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, call, keepAlive } from '../support/http/caller.ts';
import { type ServiceData, serviceData } from '../support/process/service-data.ts';
import { endAll, type Listening, listeningService } from '../support/process/service-process.ts';
import { disagreements } from '../support/store/history-agreement.ts';

const callers = 32;

describe('group commit: a process of the service that ends while a batch is under way', () => {
  let data: ServiceData;
  let service: Listening;
  let agents: Agent[];
  let keeper: Rival;
  let answers: Promise<Answer>[];

  beforeEach(async () => {
    data = await serviceData({ campaigns: 8 });
    service = await listeningService({ DATABASE_URL: data.database.url('service'), RUN_MIGRATIONS: 'false' });
    agents = Array.from({ length: callers }, keepAlive);
    for (const answer of await Promise.all(calls('first'))) expect(answer.status).to.equal(200);
    await gateBeforeCommit(data.database, 'several');
    keeper = await shutGate(data.database);
    answers = calls('second');
    await untilWaiting(data.database, Promise.all(answers));
  });
  afterEach(async () => {
    for (const agent of agents) agent.destroy();
    await endAll();
    await data.database.drop();
  });

  /** All at once, each on its own connection, four of each campaign. */
  function calls(round: string): Promise<Answer>[] {
    return agents.map((agent, at) => {
      const campaign = data.campaigns[at % data.campaigns.length] as number;
      const address = `https://example.com/${round}/${at}`;
      return call({ base: service.base, campaign, key: data.key, address }, agent);
    });
  }

  it('SIGTERM: all that was asked is answered and committed, exit code 0', async () => {
    service.process.child.kill('SIGTERM');
    await service.process.event('stopping');
    await keeper.commit();
    const all = await Promise.all(answers);
    expect(all.map(({ status }) => status)).to.deep.equal(all.map(() => 200));
    expect(await service.process.ended).to.deep.equal({ code: 0, signal: null });
    const recorded = await data.recorded();
    expect(recorded).to.have.length(2 * callers);
    expect(recorded).to.include.members(all.map(({ requestId }) => requestId));
    expect(await disagreements(data.database)).to.deep.equal([]);
  });

  it('kill -9: nothing is half done, and what was answered is there', async () => {
    await service.process.stop('SIGKILL');
    const all = await Promise.all(answers);
    await keeper.commit();
    await sessionsEnd();
    const acknowledged = all.filter(({ status }) => status === 200).map(({ requestId }) => requestId);
    expect(acknowledged.length).to.be.lessThan(callers);
    expect(await data.recorded()).to.include.members(acknowledged);
    expect(await disagreements(data.database)).to.deep.equal([]);
  });

  /** Until the server has noticed that nobody is there any more. */
  async function sessionsEnd(): Promise<void> {
    const sessions =
      "select from pg_stat_activity where datname = current_database() and usename = 'campaign_mirror_service'";
    await eventually('the end of its sessions', async () =>
      expect((await data.database.admin.query(sessions)).rowCount).to.equal(0),
    );
  }
});

describe('a statement of the service that PostgreSQL refuses', () => {
  it('is logged as an error, once, and counted: it is a fault of the service or of its role', async () => {
    const data = await serviceData({ campaigns: 2 });
    const settings = { DATABASE_URL: data.database.url('service'), RUN_MIGRATIONS: 'false' };
    const { base, ops, process } = await listeningService(settings);
    await data.database.admin.query(
      'revoke update (target_url) on campaign_mirror.mirrors from campaign_mirror_service',
    );
    for (let round = 0; round < 2; round++) {
      const calls = data.campaigns.map((campaign) =>
        call({ base, campaign, key: data.key, address: 'https://example.com/new' }),
      );
      for (const { status } of await Promise.all(calls)) expect(status).to.equal(500);
    }
    const line = await process.event('statement-refused');
    expect(line).to.deep.include({ level: 50, untold: 0 }).and.to.have.nested.property('err.code', '42501');
    const metrics = await (await fetch(`${ops}/metrics`)).text();
    expect(metrics).to.match(
      /^campaign_mirror_statements_refused_total\{statement="set-mirror[^"]*"\} [1-9]/m,
    );
    await endAll();
    await data.database.drop();
  });
});
