import { expect } from 'chai';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { RawConnection } from '../support/http/connection.ts';
import { type Asking, ask, requestBytes, servesOn } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const kept: Record<string, readonly [number, Asking]> = {
  'a body that is not JSON': [400, { body: '{' }],
  'an unknown route without a body': [404, { target: '/', body: undefined }],
};

describe('contract: answers — connections', () => {
  // Each update in a session of its own, so that the database tells how many are under way.
  const service = withHttpService();
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  before(() => process.on('warning', warned));
  after(() => process.off('warning', warned));

  for (const [name, [expected, asking]] of Object.entries(kept)) {
    it(`contract: answers — the connection is used again after ${expected}, ${name}`, async () => {
      const connection = await RawConnection.open(service().port);
      for (let times = 0; times < 3; times++) {
        await connection.send(requestBytes(service(), asking));
        expect((await connection.response()).status).to.equal(expected);
      }
      await servesOn(service(), connection);
    });
  }

  it('contract: answers — nothing is left of callers that leave at any point', async () => {
    const { port, database, campaigns } = service();
    const whole = requestBytes(service());
    for (let at = 0; at < whole.length; at += 2) {
      const connection = await RawConnection.open(port);
      await connection.send(whole.subarray(0, at));
    }
    const holder = await rival(database);
    await holder.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', campaigns.own);
    const leaving = await Promise.all(Array.from({ length: 5 }, () => RawConnection.open(port)));
    // From a CONNECT on Node tells nobody that the connection is gone.
    const tunnel = Buffer.from('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
    const behind = [[], [whole], [tunnel], [whole, tunnel], [whole, whole]];
    for (const [at, connection] of leaving.entries()) {
      await connection.send(Buffer.concat([whole, ...(behind[at] ?? [])]));
    }
    await untilWaiting(database, new Promise(() => {}));
    for (const connection of leaving) await connection.reset();
    expect((await ask(service(), { campaign: 424242 })).status).to.equal(404);
    expect(warnings).to.deep.equal([]);
    await holder.commit();
  });

  it('contract: answers — listeners do not pile up, one after the other or at once', async () => {
    const connection = await RawConnection.open(service().port);
    for (let times = 0; times < 20; times++) await servesOn(service(), connection);
    void connection.send(Buffer.concat(Array.from({ length: 20 }, () => requestBytes(service()))));
    for (let times = 0; times < 20; times++) expect((await connection.response()).status).to.equal(200);
    await connection.send('garbage\r\n\r\n');
    expect((await connection.response()).status).to.equal(400);
    // Warnings are told in a later turn.
    await new Promise(setImmediate);
    expect(warnings).to.deep.equal([]);
  });
});
