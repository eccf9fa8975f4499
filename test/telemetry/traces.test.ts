import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { blocksOf } from '../support/documents/blocks.ts';
import { call } from '../support/http/caller.ts';
import { RawConnection } from '../support/http/connection.ts';
import { requestsWith, send } from '../support/http/hostile-requests.ts';
import { type CollectedSpan, OtlpCollector } from '../support/process/otlp-collector.ts';
import { type ServiceData, serviceData } from '../support/process/service-data.ts';
import { endAll, type Listening, listeningService, start } from '../support/process/service-process.ts';
import { marked, unknownKey } from '../support/secrets.ts';
import { projectFolder } from '../support/workspace.ts';

const page = 'docs/how-to/trace-requests.md';
const blocks = blocksOf(readFileSync(`${projectFolder}${page}`, 'utf8')).filter(({ marker = '' }) =>
  marker.startsWith('tested: '),
);
const request = 'POST /public/v1/mirror/campaign/:campaign/mirror';
const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const body = '{"mirror_endpoint":"https://second.example/"}';

describe(`traces: ${page}`, () => {
  let collector: OtlpCollector;
  let data: ServiceData;
  beforeEach(async () => {
    collector = await OtlpCollector.open();
    data = await serviceData({ campaigns: 4 });
  });
  afterEach(async () => {
    await endAll();
    await collector.close();
    await data.database.drop();
  });

  /** As the page has it for systemd and containers. */
  const traced = (more: Readonly<Record<string, string>> = {}) => {
    const lines = blocks[1]?.text.replace('/opt/campaign-mirror/', projectFolder).split('\n') ?? [];
    return listeningService({
      ...data.settings(),
      ...Object.fromEntries(lines.map((line) => line.split(/=(.*)/).slice(0, 2))),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '1',
      MAX_EVENT_LOOP_DELAY: '60s',
      ...more,
    });
  };
  const bytes = (requestId: string, headers: string, sent = body) =>
    [
      `POST /public/v1/mirror/campaign/${data.campaigns[0]}/mirror?${marked} HTTP/1.1\r\nHost: a`,
      `Authorization: Bearer ${data.key}\r\nContent-Type: application/json\r\nX-Request-Id: ${requestId}`,
      `${headers}\r\n\r\n${sent}`,
    ].join('\r\n');
  const lengthOf = (more = '') => `Content-Length: ${body.length}${more}`;
  const traceparent = `traceparent: 00-${caller.traceId}-${caller.spanId}-01`;
  const port = ({ base }: Listening) => Number(new URL(base).port);
  const line = ({ process }: Listening, requestId: string) =>
    process.says(() => process.log.find((one) => one.requestId === requestId && one.status));
  const traceOf = async (service: Listening, requestId: string) =>
    collector.trace((await line(service, requestId)).trace_id);
  const query = ({ name }: CollectedSpan) => name.startsWith('pg.query');
  const parentIn = (spans: readonly CollectedSpan[], child: CollectedSpan | undefined) =>
    spans.find(({ spanId }) => spanId === child?.parentSpanId);

  it('a call: its request, Koa and its statement in the trace of the caller, and so is its log line', async () => {
    const service = await traced();
    await send(port(service), bytes('first', lengthOf(`\r\n${traceparent}\r\nConnection: close`)));
    const { trace_id, span_id } = await line(service, 'first');
    expect(trace_id).to.equal(caller.traceId);
    const spans = await collector.trace(caller.traceId);
    const server = spans.find(({ name }) => name === request);
    expect(server).to.include({ spanId: span_id, parentSpanId: caller.spanId });
    const update = spans.filter(query).at(-1);
    expect(update?.name).to.match(/^pg\.query:set-mirror /);
    let up = parentIn(spans, update);
    expect(up?.name).to.match(/^router - /);
    while (up && up !== server) up = parentIn(spans, up);
    expect(up).to.equal(server);
    await fetch(`${service.ops}/health/ready`);
    await fetch(`${service.ops}/metrics`);
    expect(await service.process.stop()).to.deep.equal({ code: 0, signal: null });
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).to.deep.equal(new Set([caller.traceId]));
    expect(service.process.errors).to.equal('');
  });

  it('calls at once: each in a trace of its own, and a statement in that of a call that waits for it', async () => {
    const service = await traced();
    const agents = Array.from({ length: 8 }, async (_, number) => {
      for (let again = 0; again < 10; again++) {
        const campaign = data.campaigns[number % data.campaigns.length] as number;
        const { status } = await call({ ...data.one(service), campaign, requestId: `${number}-${again}` });
        expect(status).to.equal(200);
      }
    });
    await Promise.all(agents);
    const traces = await Promise.all(agents.map((_, number) => traceOf(service, `${number}-${9}`)));
    expect(new Set(traces.map(([span]) => span?.traceId)).size).to.equal(agents.length);
    await service.process.stop();
    const statements = collector.spans.filter(query);
    // Calls at once share statements; the ten of an agent follow one another.
    expect(statements.length).to.be.within(10, 90);
    for (const { traceId, startTimeUnixNano: at } of statements) {
      const server = collector.spans.find((span) => span.traceId === traceId && span.name === request);
      expect(BigInt(at) <= BigInt(server?.endTimeUnixNano ?? 0), 'begins while the call is open').to.equal(
        true,
      );
    }
  });

  it('one that waits for another of its connection, one that expects 100, one that is cut short', async () => {
    const service = await traced();
    const connection = await RawConnection.open(port(service));
    const expecting = bytes('expecting', lengthOf('\r\nExpect: 100-continue\r\nConnection: close'));
    await connection.send(
      bytes('before', lengthOf(`\r\n${traceparent}`)) + bytes('behind', lengthOf()) + expecting,
    );
    await connection.closed();
    const chunked = `Transfer-Encoding: chunked\r\n${traceparent.replace('4bf', 'aaa')}`;
    await send(port(service), bytes('cut', chunked, '2\r\n{"\r\nno-length\r\n'));
    expect(await line(service, 'cut')).to.include({
      status: 400,
      trace_id: caller.traceId.replace('4bf', 'aaa'),
    });
    const each = ['before', 'behind', 'expecting'];
    const traces = await Promise.all(each.map((requestId) => traceOf(service, requestId)));
    expect(traces.map((spans) => spans.filter(query).length > 0)).to.deep.equal([true, true, true]);
    expect(new Set(traces.flat().map(({ traceId }) => traceId)).size).to.equal(3);
  });

  it('no secret of a request is sent, nor its path, nor what the database quotes', async () => {
    await data.database.admin.query(`
      create function campaign_mirror.quoting() returns trigger language plpgsql as $$
        begin raise exception 'not %', new.address_after; end $$;
      create trigger quoting before insert on campaign_mirror.mirror_history for each row
        when (new.address_after like '%quoted%') execute function campaign_mirror.quoting()`);
    const service = await traced({ LOG_LEVEL: 'trace' });
    for (const secret of [marked, unknownKey]) {
      const hostile = requestsWith(secret, data.key);
      await Promise.all(hostile.map((one) => send(port(service), one)));
    }
    for (const target of ['good.example', 'quoted.example'])
      await call({ ...data.one(service), address: `https://${target}/${marked}`, requestId: target });
    await traceOf(service, 'quoted.example');
    await service.process.stop();
    const sent = collector.bodies.join('');
    const password = String(data.database.address('service').password);
    for (const secret of [
      marked,
      unknownKey,
      data.key,
      'good.example',
      'quoted.example',
      password,
      'campaign/1/',
    ])
      expect(sent.includes(secret), secret).to.equal(false);
  });

  it('as the page starts it: what waits at the end is sent, and nothing is lost', async () => {
    const command = blocks[0]?.text.replace('http://127.0.0.1:4318', collector.endpoint) ?? '';
    const settings = { ...data.settings(), OTEL_BSP_SCHEDULE_DELAY: '3600000' };
    const npm = start('sh', ['-c', command], settings);
    const { port, pid } = await npm.event('listening');
    await call({ ...data.one({ base: `http://127.0.0.1:${port}` }), requestId: 'last' });
    expect(collector.bodies).to.deep.equal([]);
    process.kill(Number(pid), 'SIGTERM');
    await npm.ended;
    expect(collector.bodies.join('')).to.include(request);
  });

  for (const how of ['away', 'silent']) {
    it(`a collector that is ${how} harms no call, and delays the end by 2 s at most`, async () => {
      if (how === 'away') await collector.close();
      collector.isSilent = true;
      const service = await traced();
      for (let number = 0; number < 5; number++) expect((await call(data.one(service))).status).to.equal(200);
      const since = performance.now();
      expect(await service.process.stop()).to.deep.equal({ code: 0, signal: null });
      expect(performance.now() - since).to.be.below(4_000);
      expect(service.process.log.filter(({ level }) => Number(level) >= 40)).to.deep.equal([]);
    });
  }

  it('without the option: nothing of OpenTelemetry is loaded but its API, and no line has a trace', async () => {
    const watch = `--import=${projectFolder}test/support/process/loaded-modules.ts`;
    const service = await traced({ NODE_OPTIONS: watch });
    await send(port(service), bytes('untraced', lengthOf(`\r\n${traceparent}\r\nConnection: close`)));
    expect(await line(service, 'untraced')).not.to.have.any.keys('trace_id', 'span_id');
    await service.process.stop();
    expect(service.process.errors).to.equal('');
    expect(collector.bodies).to.deep.equal([]);
  });
});
