import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { blocksOf } from '../support/documents/blocks.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService, start } from '../support/process/service-process.ts';
import { marked, unknownKey } from '../support/secrets.ts';
import { projectFolder } from '../support/workspace.ts';
import { requestsWith, send } from './hostile-requests.ts';
import { type CollectedSpan, type OtlpCollector, otlpCollector } from './otlp-collector.ts';

const page = 'docs/how-to/trace-requests.md';
const [command, variables] = blocksOf(readFileSync(`${projectFolder}${page}`, 'utf8'))
  .filter(({ marker = '' }) => marker.startsWith('tested: '))
  .map(({ text }) => text);
const request = 'POST /public/v1/mirror/campaign/:campaign/mirror';
const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const isStatement = ({ name }: CollectedSpan) => name.startsWith('pg.query');

describe(`traces: ${page}`, () => {
  let collector: OtlpCollector;
  const data = serviceDataOf('test');
  beforeEach(async () => {
    collector = await otlpCollector();
  });
  afterEach(() => collector.close());

  /** As the page has it for systemd and containers. */
  const traced = (more: Readonly<Record<string, string>> = {}) =>
    listeningService({
      ...data.settings(),
      ...parseEnv(variables?.replace('/opt/campaign-mirror/', projectFolder) ?? ''),
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      ...{ OTEL_BSP_SCHEDULE_DELAY: '1', MAX_EVENT_LOOP_DELAY: '60s', ...more },
    });
  /** A call in the trace of its caller; gives its line of the log. */
  const callInTrace = async (service: Listening, requestId: string) => {
    const headers = {
      authorization: `Bearer ${data.key}`,
      'content-type': 'application/json',
      'x-request-id': requestId,
      traceparent: `00-${caller.traceId}-${caller.spanId}-01`,
    };
    const path = `/public/v1/mirror/campaign/${data.campaigns[0]}/mirror?${marked}`;
    const body = '{"mirror_endpoint":"https://second.example/"}';
    const { status } = await fetch(`${service.base}${path}`, { method: 'POST', headers, body });
    expect(status).to.equal(200);
    return lineOf(service, requestId);
  };
  const lineOf = ({ process }: Listening, requestId: string) =>
    process.says(() => process.log.find((one) => one.requestId === requestId && one.status));
  const traceOf = async (service: Listening, requestId: string) =>
    collector.trace((await lineOf(service, requestId)).trace_id);

  it('a call: its request, Koa and its statement in the trace of the caller, and so is its log line', async () => {
    const service = await traced();
    const { trace_id, span_id } = await callInTrace(service, 'first');
    expect(trace_id).to.equal(caller.traceId);
    const spans = await collector.trace(caller.traceId);
    const server = spans.find(({ name }) => name === request);
    expect(server).to.include({ spanId: span_id, parentSpanId: caller.spanId });
    const update = spans.filter(isStatement).at(-1);
    expect(update?.name).to.match(/^pg\.query:set-mirror /);
    const parentOf = (child: CollectedSpan | undefined) =>
      spans.find(({ spanId }) => spanId === child?.parentSpanId);
    let up = parentOf(update);
    expect(up?.name).to.match(/^router - /);
    while (up && up !== server) up = parentOf(up);
    expect(up).to.equal(server);
    await fetch(`${service.ops}/readyz`);
    await fetch(`${service.ops}/metrics`);
    expect(await service.process.stop()).to.deep.equal({ code: 0, signal: null });
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).to.deep.equal(new Set([caller.traceId]));
    expect(service.process.errors).to.equal('');
  });

  it('no secret of a request is sent, nor its path, nor what the database quotes', async () => {
    await data.database.admin.query(`
      create function campaign_mirror.quoting() returns trigger language plpgsql as $$
        begin raise exception 'not %', new.address_after; end $$;
      create trigger quoting before insert on campaign_mirror.mirror_history for each row
        when (new.address_after like '%quoted%') execute function campaign_mirror.quoting()`);
    const service = await traced({ LOG_LEVEL: 'trace' });
    const port = Number(new URL(service.base).port);
    for (const secret of [marked, unknownKey])
      await Promise.all(requestsWith(secret, data.key).map((one) => send(port, one)));
    for (const target of ['good.example', 'quoted.example'])
      await call(data.one(service, { address: `https://${target}/${marked}`, requestId: target }));
    await traceOf(service, 'quoted.example');
    await service.process.stop();
    const sent = collector.bodies.join('');
    const secrets = [marked, unknownKey, data.key, String(data.database.address('service').password)];
    for (const secret of [...secrets, 'good.example', 'quoted.example', 'campaign/1/'])
      expect(sent.includes(secret), secret).to.equal(false);
  });

  it('as the page starts it: what waits at the end is sent, and nothing is lost', async () => {
    const words = command?.replace('http://127.0.0.1:4318', collector.endpoint) ?? '';
    const npm = start('sh', ['-c', words], { ...data.settings(), OTEL_BSP_SCHEDULE_DELAY: '3600000' });
    const { port, pid } = await npm.event('listening');
    await call(data.one({ base: `http://127.0.0.1:${port}` }));
    expect(collector.bodies).to.deep.equal([]);
    process.kill(Number(pid), 'SIGTERM');
    await npm.ended;
    expect(collector.bodies.join('')).to.include(request);
  });

  for (const how of ['away', 'silent'])
    it(`a collector that is ${how} harms no call, and does not hold up the end`, async () => {
      if (how === 'away') await collector.close();
      collector.isSilent = true;
      // Nothing but the service ends the wait for it.
      const patient = { OTEL_EXPORTER_OTLP_TIMEOUT: '3600000', OTEL_BSP_EXPORT_TIMEOUT: '3600000' };
      const service = await traced(patient);
      for (let number = 0; number < 5; number++) expect((await call(data.one(service))).status).to.equal(200);
      expect(await service.process.stop()).to.deep.equal({ code: 0, signal: null });
      expect(service.process.log.filter(({ level }) => Number(level) >= 40)).to.deep.equal([]);
    });

  it('without the option nothing is sent, and no line has a trace', async () => {
    const service = await traced({ NODE_OPTIONS: '' });
    expect(await callInTrace(service, 'untraced')).not.to.have.any.keys('trace_id', 'span_id');
    await service.process.stop();
    expect(collector.bodies).to.deep.equal([]);
  });
});
