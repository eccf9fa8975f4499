import type { AccessKey, Identified } from '@campaign-mirror/domain';
import { accessKeyFrom } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { groupedOf } from '../support/process/lives.ts';
import type { Live } from '../support/store/world.ts';

const unknown = (number: number) => accessKeyFrom(new Uint8Array(32).fill(number));

describe('lookups in one batch', () => {
  const service = groupedOf('suite');

  it('each key gets its own answer: valid, unlimited, unknown, revoked, expired, or given twice', async () => {
    const [valid, endless, revoked, expired] = await service.live(4);
    const expires = "update campaign_mirror.access_keys set expires_at = 'infinity' where id = $1";
    await service.database.admin.query(expires, [endless.keyId]);
    await service.world.accessKeys.revoke({ ids: [revoked.keyId] });
    await service.world.others.expireKey(expired.keyId);
    const input: [AccessKey, Live | undefined][] = [
      [unknown(1), undefined],
      [valid.key, valid],
      [revoked.key, undefined],
      [endless.key, endless],
      [valid.key, valid],
      [expired.key, undefined],
      [unknown(2), undefined],
    ];
    service.ran.length = 0;
    const callers = await Promise.all(input.map(([key]) => service.identity.whoIs(key, { afresh: true })));
    const refused: Record<string, Identified> = {
      [revoked.key]: { refused: 'revoked-key', subject: revoked.by.subject },
      [expired.key]: { refused: 'expired-key', subject: expired.by.subject },
    };
    expect(callers).to.deep.equal(input.map(([key, live]) => live?.by ?? refused[key]));
    expect(service.ran).to.have.length(1);
  });
});
