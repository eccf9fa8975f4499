import { type HotPathObserver, openHotPath } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { groupedOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';
import { change, type Live } from '../support/store/world.ts';

describe('the observer of the hot path, for metrics and the log', () => {
  const service = groupedOf('suite');
  let heard: string[];
  let set: (live: Live) => Promise<unknown>;
  beforeEach(() => {
    heard = [];
    const observer: HotPathObserver = {
      batch: (statement, size) => void heard.push(`${statement} ×${size}`),
      ended: (statement, _, error) => void heard.push(`${statement} ${error ? 'failed' : 'ended'}`),
      refused: (statement) => void heard.push(`${statement} refused`),
    };
    const { campaigns } = openHotPath(service.pool, { observer });
    set = ({ seen, by }) => campaigns.setMirror(seen, change(by));
  });

  it('hears the size of each batch; two updates of one campaign never share one', async () => {
    const [one, another] = await service.live(2);
    await Promise.all([one, another, one].map(set));
    const batches = ['set-mirrors ×2', 'set-mirrors ended', 'set-mirrors ×1', 'set-mirrors ended'];
    expect(heard).to.deep.equal(batches);
  });

  it('hears that PostgreSQL refuses a statement; no member of the batch is sent alone but the first', async () => {
    const lives = await service.live(3);
    await service.database.admin.query(
      'revoke execute on all functions in schema campaign_mirror from campaign_mirror_service',
    );
    for (const fault of await Promise.all(lives.map((live) => rejection(set(live)))))
      expect(fault).to.have.property('code', '42501');
    const failed = ['set-mirrors failed', 'set-mirrors refused', 'set-mirrors failed'];
    expect(heard).to.deep.equal(['set-mirrors ×3', ...failed]);
  });
});
