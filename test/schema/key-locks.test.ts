import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { groupedOf } from '../support/process/lives.ts';

describe('keys: recording the use of a key delays no operator', () => {
  const service = groupedOf('suite');

  it('a lookup in an open transaction delays neither a rotation nor a revocation', async () => {
    const [rotated, revoked] = await service.live(2);
    const client = await connect(service.database.address('service'));
    await client.query('begin');
    const find = 'select id from campaign_mirror.find_keys(array[sha256($1), sha256($2)])';
    expect((await client.query(find, [rotated.key, revoked.key])).rowCount).to.equal(2);
    const on = commandsOn(service.database);
    expect((await on.run(`key rotate ${rotated.keyId}`)).code).to.equal(0);
    expect((await on.run(`key revoke ${revoked.keyId}`)).code).to.equal(0);
    await client.query('commit');
    await client.end();
    const listed = await on.objects('key', 'list');
    const used = listed.filter(({ last_used_at }) => /^\d{4}-.*\.\d{6}Z$/.test(String(last_used_at)));
    expect(used.map(({ id }) => id)).to.have.members([rotated.keyId, revoked.keyId]);
  });
});
