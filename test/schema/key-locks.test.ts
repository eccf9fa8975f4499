import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { groupedOf } from '../support/process/lives.ts';

describe("with the service's password, while it notes uses of keys", () => {
  const service = groupedOf('suite');

  it('uses that are noted in a transaction that stays open delay neither a rotation nor a revocation', async () => {
    const [rotated, revoked] = await service.live(2);
    const client = await connect(service.database.address('service'));
    const keys = [rotated.keyId, revoked.keyId];
    await client.query('begin');
    await client.query('select campaign_mirror.note_key_uses($1)', [keys]);
    const on = commandsOn(service.database);
    expect((await on.run(`key rotate ${rotated.keyId}`)).code).to.equal(0);
    expect((await on.run(`key revoke ${revoked.keyId}`)).code).to.equal(0);
    await client.query('commit');
    // Again, now that the uses have their rows.
    await client.query('begin');
    await client.query('select campaign_mirror.note_key_uses($1)', [keys]);
    expect((await on.run(`key revoke ${rotated.keyId}`)).code).to.equal(0);
    await client.query('commit');
    await client.end();
    const listed = await on.objects('key', 'list');
    const used = listed.filter(({ last_used_at }) => /^\d{4}-.*\.\d{6}Z$/.test(String(last_used_at)));
    expect(used.map(({ id }) => id)).to.have.members(keys);
  });
});
