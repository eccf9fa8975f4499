import { expect } from 'chai';
import { load } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Fleet, listeningFleet, times } from '../support/process/primary-process.ts';
import { type Exposition, scrape, undocumented } from '../support/prometheus/metrics.ts';

const requests = { name: 'campaign_mirror_http_requests_total', labels: { listener: 'callers' } };

describe('contract: life — metrics of several processes', () => {
  const data = serviceDataOf('test', { campaigns: 4 });
  let service: Fleet;
  beforeEach(async () => {
    service = await listeningFleet(data.settings());
  });

  const answered = (told: Exposition) =>
    told.value(requests.name, { ...requests.labels, status: '200' }) ?? 0;

  it('sums are those of the load, while workers relieve each other, and when one that idles is killed', async () => {
    const callers = load(data.updates(service.base), 8);
    await callers.first;
    service.process.child.kill('SIGHUP');
    await service.process.event('restarted');
    const count = (await callers.stop()).filter(({ status }) => status === 200).length;
    expect(count).to.equal((await data.recorded()).length);
    let told = await scrape(service);
    expect(answered(told)).to.equal(count);
    expect(told.value('campaign_mirror_http_request_duration_seconds_count', { status: '200' })).to.equal(
      count,
    );
    expect(told.by('campaign_mirror_worker_replacements_total', 'why')).to.deep.equal({ relieved: 2 });

    // What was told at this scrape is known, whatever becomes of the worker.
    process.kill(Number(service.workers().at(-1)?.pid), 'SIGKILL');
    await service.process.event('worker-replaced');
    const more = load(data.updates(service.base), 8);
    await more.after(100);
    const all = count + (await more.stop()).length;
    told = await scrape(service);
    expect(answered(told)).to.equal(all);
    expect(told.by('campaign_mirror_worker_replacements_total', 'why')).to.deep.equal({
      relieved: 2,
      lost: 1,
    });
    expect(told.by('campaign_mirror_workers', 'state')).to.deep.equal({ wanted: 2, ready: 2 });
    expect(told.by('campaign_mirror_processes', 'role')).to.deep.equal({ watching: 1, serving: 2 });
    expect(told.value('campaign_mirror_pool_connections_limit')).to.equal(6);
    expect(undocumented(told)).to.deep.equal([]);
  });

  it('kill -9 under load: no sum falls, and nothing is lost but what was counted since it was told last', async () => {
    const callers = load(data.updates(service.base), 8);
    await callers.after(200);
    const answersBefore = callers.answers.length;
    const before = await scrape(service);
    expect(answered(before)).to.be.at.least(answersBefore);
    process.kill(Number(service.workers()[0]?.pid), 'SIGKILL');
    await service.process.event('worker-lost');
    const sinceTold = callers.answers.length - answersBefore;
    const inBetween = await scrape(service);
    await times(service.process, 'worker-replaced', 1);
    const answers = await callers.stop();
    const after = await scrape(service);

    for (const [earlier, later] of [
      [before, inBetween],
      [inBetween, after],
    ] as const) {
      for (const { name, labels, value } of lasting(earlier))
        expect(later.value(name, labels), `${name} ${JSON.stringify(labels)}`).to.be.at.least(value);
    }
    const count = answers.filter(({ status }) => status === 200).length;
    // Those that the end of a worker has cut off may be counted, too: eight callers have one each.
    expect(answered(after))
      .to.be.at.least(count - sinceTold)
      .and.at.most(count + 8);
    expect(answered(after) - answered(before)).to.be.above(0);
  });
});

/** What does not fall: counters and histograms. */
function lasting(told: Exposition) {
  return told.lines.filter((line) => told.types.get(told.metricOf(line)) !== 'gauge');
}
