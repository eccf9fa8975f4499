import { type SetMirrorResult, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { cancelWaiting, untilWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';
import { change } from '../support/store/world.ts';
import { beforeHistory } from './gate.ts';

const rivals = 'https://example.com/rival';
/** The change of somebody else, in a transaction that is still open. */
const setByRival = `update campaign_mirror.mirrors
  set target_url = '${rivals}', last_change_id = nextval('campaign_mirror.mirror_history_id_seq') where campaign_id = $1`;

describe('conditions of several updates that go together', () => {
  const service = groupedOf('suite');
  const kinds = (results: readonly SetMirrorResult[]) => results.map(({ kind }) => kind);

  for (const [code, what, statements] of [
    ['P0001', 'split up member by member', 5],
    ['40001', 'retried', 1],
  ] as const)
    it(`a statement that is ${what}: each member is judged by its own condition`, async () => {
      const lives = await service.live(5);
      await beforeHistory(
        service.database,
        `if nextval('campaign_mirror.tries') = 1 then raise exception 'once' using errcode = '${code}'; end if`,
      );
      const expected = [0, -1, undefined, 8, 0];
      service.ran.length = 0;
      const all = lives.map(({ seen, by }, at) =>
        service.campaigns.setMirror(seen, { ...change(by), lastChange: expected[at] }),
      );
      const judged = ['mirror-set', 'condition-failed', 'mirror-set', 'condition-failed', 'mirror-set'];
      expect(kinds(await Promise.all(all))).to.deep.equal(judged);
      expect(service.ran, 'the first one failed').to.have.length(statements);
      expect(await service.history(...lives)).to.have.length(3);
    });

  it('an update that waited too long, repeated with the same condition: refused with what the rival set', async () => {
    const { campaigns } = service;
    const [live] = await service.live(1);
    const { seen, by } = live;
    const setIt = () => campaigns.setMirror(seen, { ...change(by), lastChange: 0 });
    const other = await service.hold(setByRival, seen.id);
    const late = rejection(setIt());
    await untilWaiting(service.database, late);
    await cancelWaiting(service.database);
    expect(await late).to.be.instanceOf(Unavailable);
    const refused = await campaigns.setMirror(seen, { ...change(by), lastChange: 5 });
    expect(refused, 'not that of the rival, whatever becomes of it').to.include({
      kind: 'condition-failed',
      lastChange: 0,
    });
    await other.commit();
    const again = await setIt();
    expect(again).to.have.nested.property('mirror.targetUrl', rivals);
    expect(again).to.have.property('lastChange').above(0);
    expect(await service.history(live)).to.deep.equal([]);
  });
});
