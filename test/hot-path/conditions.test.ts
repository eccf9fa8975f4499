import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { cancelWaiting, untilWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';
import { change } from '../support/store/world.ts';
import { failingOnce } from './gate.ts';

const rivals = 'https://example.com/rival';
const setByRival = `update campaign_mirror.mirrors
  set target_url = '${rivals}', last_change_id = nextval('campaign_mirror.mirror_history_id_seq')
  where campaign_id = $1`;

describe('conditions of updates in one batch', () => {
  const service = groupedOf('suite');

  for (const [code, what, statements] of [
    ['P0001', 'sent member by member', 5],
    ['40001', 'retried', 1],
  ] as const)
    it(`each member is judged by its own condition, also if the batch is ${what}`, async () => {
      const lives = await service.live(5);
      await failingOnce(service.database, code);
      const expected = [0, -1, undefined, 8, 0];
      service.ran.length = 0;
      const results = await Promise.all(
        lives.map(({ seen, by }, nth) =>
          service.campaigns.setMirror(seen, { ...change(by), lastChange: expected[nth] }),
        ),
      );
      const kinds = results.map(({ kind }) => kind);
      const judged = ['mirror-set', 'condition-failed', 'mirror-set', 'condition-failed', 'mirror-set'];
      expect(kinds).to.deep.equal(judged);
      expect(service.ran).to.have.length(statements);
      expect(await service.history(...lives)).to.have.length(3);
    });

  it('an update that waited too long, and is retried, is refused if a rival set the mirror', async () => {
    const { campaigns, database } = service;
    const live = await service.campaign();
    const { seen, by } = live;
    const set = () => campaigns.setMirror(seen, { ...change(by), lastChange: 0 });
    const other = await service.hold(setByRival, seen.id);
    const late = rejection(set());
    await untilWaiting(database, late);
    await cancelWaiting(database);
    expect(await late).to.be.instanceOf(Unavailable);
    await other.commit();
    const again = await set();
    expect(again).to.have.nested.property('mirror.targetUrl', rivals);
    expect(again).to.have.property('lastChange').above(0);
    expect(await service.history(live)).to.deep.equal([]);
  });
});
