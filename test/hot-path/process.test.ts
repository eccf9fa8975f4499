import { expect } from 'chai';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';

describe('a statement of the service that PostgreSQL refuses', () => {
  const data = serviceDataOf('test', { campaigns: 2 });

  it('is logged as an error, once, and counted: it is a fault of the service or of its role', async () => {
    const { base, ops, process } = await listeningService(data.settings());
    await data.database.admin.query(
      'revoke update (target_url) on campaign_mirror.mirrors from campaign_mirror_service',
    );
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(data.updates(base).map((one) => call(one)));
      for (const { status } of answers) expect(status).to.equal(500);
    }
    const line = await process.event('statement-refused');
    expect(line).to.deep.include({ level: 50, untold: 0 }).and.to.have.nested.property('err.code', '42501');
    expect(process.log.filter(({ event }) => event === 'statement-refused')).to.have.length(1);
    expect(await (await fetch(`${ops}/metrics`)).text()).to.match(
      /^campaign_mirror_statements_refused_total\{statement="set-mirror[^"]*"\} [1-9]/m,
    );
  });
});
