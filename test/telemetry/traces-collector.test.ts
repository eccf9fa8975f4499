import { roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { schemaFaults } from '../support/documents/log-schema.ts';
import { requestsWith, send } from '../support/http/hostile-requests.ts';
import { type Listening, projectFolder } from '../support/process/service-process.ts';
import { marked, unknownKey } from '../support/secrets.ts';
import { collectorsWords } from '../support/telemetry/otlp-collector.ts';
import { linesOf, TracedService } from '../support/telemetry/traced-service.ts';

const route = 'POST /public/v1/mirror/campaign/{campaign}/mirror';
const watch = { NODE_OPTIONS: `--import=${projectFolder}test/support/telemetry/loaded-modules.ts` };

/** The first request of a key has spans of its look-ups and of the judging, besides those of the update. */
const spansOf = (requests: number) => 7 + 3 * (requests - 1);

describe('traces: the collector', () => {
  let traced: TracedService;
  beforeEach(async () => {
    traced = await TracedService.open();
  });
  afterEach(() => traced.close());

  const lost = ({ process }: Listening) =>
    process.log
      .filter(({ event }) => event === 'spans-lost')
      .reduce((sum, { count }) => sum + Number(count), 0);
  const ended = { code: 0, signal: null };
  const requestIds = (count: number) => Array.from({ length: count }, (_, number) => `request-${number}`);

  it('none is named: nothing of OpenTelemetry is loaded, and no line has a trace', async () => {
    const service = await traced.start({
      ...watch,
      OTEL_EXPORTER_OTLP_ENDPOINT: '',
      OTEL_SERVICE_NAME: 'name',
    });
    const headers = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
    expect(await traced.ask(service, { requestId: 'untraced', headers })).to.equal(200);
    const [line] = await linesOf(service, 'untraced');
    expect(line).not.to.have.any.keys('trace_id', 'span_id');
    expect(await service.process.stop()).to.deep.equal(ended);
    expect(service.process.errors).to.equal('');
    expect(traced.collector.bodies).to.deep.equal([]);
  });

  it('the end sends what waits, with the headers that are a secret', async () => {
    const secret = `Bearer ${marked}`;
    const service = await traced.start({
      ...watch,
      OTEL_BSP_SCHEDULE_DELAY: '3600000',
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=${encodeURIComponent(secret)}`,
      OTEL_SERVICE_NAME: 'mirrors',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
    });
    expect(service.process.errors, 'what the other test looks for').to.include(
      '@opentelemetry/sdk-trace is loaded by',
    );
    expect(await traced.ask(service, { requestId: 'last' })).to.equal(200);
    expect(traced.collector.spans).to.deep.equal([]);
    expect(await service.process.stop()).to.deep.equal(ended);
    const spans = await traced.trace('last');
    expect(spans.map(({ name }) => name)).to.include(route);
    expect(spans[0]?.resource).to.include({
      'service.name': 'mirrors',
      'deployment.environment.name': 'test',
    });
    expect(traced.collector.headers.authorization).to.equal(secret);
    expect(service.process.output + service.process.errors).not.to.include(marked);
    expect(lost(service)).to.equal(0);
  });

  it('one that is away: requests are answered, what is lost is reported, and the end is not held up', async () => {
    await traced.collector.close();
    const service = await traced.start({
      OTEL_EXPORTER_OTLP_TIMEOUT: '1',
    });
    for (const requestId of requestIds(5)) expect(await traced.ask(service, { requestId })).to.equal(200);
    const told = await service.process.event('spans-lost');
    expect(told.err).to.have.nested.property('message').that.includes('ECONNREFUSED');
    expect(await service.process.stop()).to.deep.equal(ended);
    expect(lost(service)).to.equal(spansOf(5));
    expect(schemaFaults(service.process.output)).to.deep.equal([]);
  });

  it('one that refuses: the same, and its words are not repeated', async () => {
    traced.collector.behaviour = 'refuses';
    const service = await traced.start();
    expect(await traced.ask(service, { requestId: 'refused' })).to.equal(200);
    await service.process.event('spans-lost');
    expect(await service.process.stop()).to.deep.equal(ended);
    expect(lost(service)).to.equal(spansOf(1));
    expect(service.process.output).not.to.include(collectorsWords);
  });

  it('one that is silent: requests are answered, no more waits than the queue holds, and the end has a bound', async () => {
    traced.collector.behaviour = 'is silent';
    const queue = { OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5' };
    const service = await traced.start(queue);
    const asked = requestIds(30);
    for (const requestId of asked) expect(await traced.ask(service, { requestId })).to.equal(200);
    expect(await service.process.stop()).to.deep.equal(ended);
    expect(service.process.log.filter(({ event }) => event === 'hung')).to.deep.equal([]);
    expect(lost(service)).to.equal(spansOf(asked.length));
    expect(traced.collector.spans.length, 'one batch that was under way, and the queue').to.be.within(1, 15);
  });

  it('each worker sends its own', async () => {
    const service = await traced.start({ WORKERS: '2' });
    const workers = () =>
      new Set(traced.collector.spans.map(({ resource }) => resource['campaign_mirror.worker']));
    for (let number = 0; workers().size < 2; number++) {
      expect(await traced.ask(service, { requestId: `worker-${number}` })).to.equal(200);
      await traced.trace(`worker-${number}`);
    }
    expect(await service.process.stop()).to.deep.equal(ended);
    const instances = new Set(traced.collector.spans.map(({ resource }) => resource['service.instance.id']));
    expect([...workers()]).to.have.members([1, 2]);
    expect(instances.size).to.equal(2);
    expect(lost(service)).to.equal(0);
  });

  it('no secret, no address and no body reaches it, nor by faults that quote them', async () => {
    const { database, key, campaigns } = traced.data;
    await database.admin.query(
      `alter table campaign_mirror.mirrors add constraint chosen check (target_url not like '%CHECKED%')`,
    );
    const service = await traced.start({ LOG_LEVEL: 'trace' });
    const port = Number(new URL(service.base).port);
    for (const secret of [marked, unknownKey, `Bearer ${unknownKey}`]) {
      // An identifier of a request is the caller's own, and is told as it is.
      const hostile = requestsWith(secret, key).filter((bytes) => !/x-request-id/i.test(bytes));
      await Promise.all(hostile.map((bytes) => send(port, bytes)));
    }
    const body = (address: string) => ({ body: JSON.stringify({ mirror_endpoint: address }) });
    await traced.ask(service, { requestId: 'good', ...body(`https://good.example/${marked}`) });
    await traced.ask(service, { requestId: 'bad', ...body(`javascript:${marked}`) });
    await traced.ask(service, { requestId: 'json', body: `{${marked}` });
    const checked = { requestId: 'fault', ...body(`https://a.example/CHECKED?${marked}`) };
    expect(await traced.ask(service, checked)).to.equal(500);
    const fault = (await traced.trace('fault')).find(({ name }) => name === route);
    expect(fault?.isError).to.equal(true);
    expect(fault?.attributes['error.type']).to.equal('500');
    expect(fault?.events.map(({ name, attributes }) => [name, attributes['exception.type']])).to.deep.equal([
      ['exception', 'error'],
    ]);
    await database.admin.query(`alter database ${database.name} connection limit 0`);
    await database.admin.query(
      'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and usename = $1',
      [roles.service],
    );
    const away = { requestId: 'away', ...body(`https://away.example/${marked}`) };
    expect(await traced.ask(service, away)).to.equal(503);
    await database.admin.query(`alter database ${database.name} connection limit -1`);
    const spans = await traced.trace('away');
    const isError = Object.fromEntries(spans.map((span) => [span.name, span.isError]));
    expect(isError).to.deep.equal({ [route]: true, 'set mirror': true, 'set-mirror': true });
    const [line] = (await linesOf(service, 'away')).filter(({ event }) => event === 'unavailable');
    expect(line?.trace_id).to.equal(spans[0]?.traceId);
    expect(await service.process.stop()).to.deep.equal(ended);

    const sent = Buffer.concat(traced.collector.bodies).toString('latin1');
    const secrets = [
      marked,
      unknownKey.slice(3, 20),
      key.slice(3, 20),
      'good.example',
      'CHECKED',
      'away.example',
    ];
    for (const secret of [...secrets, String(database.address('service').password)]) {
      const at = sent.indexOf(secret);
      expect(sent.slice(Math.max(0, at - 100), at + 50), secret).not.to.include(secret);
    }
    expect(sent).not.to.match(new RegExp(`campaign/${campaigns[0]}/mirror`));
    for (const { statusMessage } of traced.collector.spans) expect(statusMessage).to.equal('');
  });
});
