import { expect } from 'chai';
import { version } from '../../packages/app/src/process/version.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { schemaFaults } from '../support/documents/log-schema.ts';
import { eventually } from '../support/eventually.ts';
import { RawConnection } from '../support/http/connection.ts';
import type { Listening } from '../support/process/service-process.ts';
import type { CollectedSpan } from '../support/telemetry/otlp-types.ts';
import { linesOf, named, TracedService } from '../support/telemetry/traced-service.ts';

const route = '/public/v1/mirror/campaign/{campaign}/mirror';
const request = `POST ${route}`;
const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = (flags: string) => `00-${caller.traceId}-${caller.spanId}-${flags}`;

describe('traces: OpenTelemetry, where OTEL_EXPORTER_OTLP_ENDPOINT names a collector', () => {
  let traced: TracedService;
  let service: Listening;
  before(async () => {
    traced = await TracedService.open();
    service = await traced.start();
  });
  after(() => traced.close());

  const tree = (spans: readonly CollectedSpan[]) => {
    const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
    return Object.fromEntries(spans.map((span) => [span.name, names.get(span.parentSpanId)]));
  };

  const ofFirst = (spans: readonly CollectedSpan[]) =>
    spans.filter(({ attributes }) => attributes['campaign_mirror.request_id'] === 'first');

  it('spans of the request, the key, the judging and the statements, within each other', async () => {
    expect(await traced.ask(service, { requestId: 'set' })).to.equal(200);
    const spans = await traced.trace('set');
    expect(tree(spans)).to.deep.equal({
      [request]: undefined,
      'look up key': request,
      'find campaign': request,
      'look-up-one': 'find campaign',
      judge: request,
      'set mirror': request,
      'set-mirror': 'set mirror',
    });
    expect(named(spans, 'look up key').attributes).to.deep.equal({ 'campaign_mirror.key_valid': true });
    const parent = named(spans, request);
    for (const span of spans) {
      expect(
        span.start >= parent.start && span.end >= span.start && span.end <= parent.end,
        span.name,
      ).to.equal(true);
    }
    const calls = [named(spans, 'find campaign'), named(spans, 'look up key')];
    expect(named(spans, 'look-up-one').links, 'one statement for both').to.deep.equal(
      calls.map(({ spanId }) => spanId),
    );
    expect(named(spans, 'judge').start >= named(spans, 'look up key').end).to.equal(true);
  });

  it('with the names of the semantic conventions, and nothing that a caller chooses but its identifier', async () => {
    const { database, campaigns } = traced.data;
    const [campaign] = campaigns;
    const target = `/public/v1/mirror/campaign/${campaign}/mirror?query`;
    expect(await traced.ask(service, { requestId: 'named', path: target })).to.equal(200);
    const spans = await traced.trace('named');
    const { hostname, port } = new URL(service.base);
    const { kind, attributes, resource } = named(spans, request);
    expect(kind).to.equal('server');
    expect(attributes).to.deep.equal({
      'http.request.method': 'POST',
      'http.route': route,
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
      'server.address': hostname,
      'server.port': Number(port),
      'client.address': '127.0.0.1',
      'campaign_mirror.request_id': 'named',
      'campaign_mirror.campaign': campaign,
    });
    const address = database.address('service');
    const statement = named(spans, 'set-mirror');
    expect(statement.kind).to.equal('client');
    expect(statement.attributes).to.deep.equal({
      'db.system.name': 'postgresql',
      'db.namespace': address.database,
      'server.address': address.host,
      'server.port': address.port,
      'db.query.summary': 'set-mirror',
    });
    expect(named(spans, 'set mirror').attributes).to.deep.equal({ 'campaign_mirror.result': 'mirror-set' });
    expect(resource).to.include({
      'service.name': 'campaign-mirror',
      'service.version': version().version,
      'process.pid': service.process.child.pid,
      'telemetry.sdk.language': 'nodejs',
    });
    expect(resource['service.instance.id']).to.match(/^[0-9a-f-]{36}$/);
  });

  it('in the trace of the caller, whose state goes on with it, and in all log lines of the request', async () => {
    const headers = { traceparent: traceparent('01'), tracestate: 'vendor=state' };
    expect(await traced.ask(service, { requestId: 'of-caller', headers })).to.equal(200);
    const spans = await traced.trace('of-caller');
    expect([...new Set(spans.map(({ traceId }) => traceId))]).to.deep.equal([caller.traceId]);
    expect([...new Set(spans.map(({ traceState }) => traceState))]).to.deep.equal(['vendor=state']);
    const { spanId, parentSpanId } = named(spans, request);
    expect(parentSpanId).to.equal(caller.spanId);
    const lines = await linesOf(service, 'of-caller');
    expect(lines.map(({ trace_id, span_id }) => [trace_id, span_id])).to.deep.equal([
      [caller.traceId, spanId],
    ]);
  });

  it('what the caller does not record is not recorded, and its log lines name its trace', async () => {
    const headers = { traceparent: traceparent('00') };
    expect(await traced.ask(service, { requestId: 'unrecorded', headers })).to.equal(200);
    const [line] = await linesOf(service, 'unrecorded');
    expect(line?.trace_id).to.equal(caller.traceId);
    expect(line).not.to.have.property('span_id');
    await traced.ask(service, { requestId: 'later' });
    await traced.trace('later');
    const recorded = traced.collector.spans.map(({ attributes }) => attributes['campaign_mirror.request_id']);
    expect(recorded).not.to.include('unrecorded');
  });

  /** Asked on one connection, without waiting: the second is carried out where the first one ended. */
  async function askBoth({ base }: Listening, second: string): Promise<void> {
    const { campaigns, key } = traced.data;
    const body = '{"mirror_endpoint":"https://second.example/"}';
    const bytes = (requestId: string, more: string) =>
      [
        `POST /public/v1/mirror/campaign/${campaigns[0]}/mirror HTTP/1.1`,
        `Host: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json`,
        `Content-Length: ${body.length}\r\nX-Request-Id: ${requestId}\r\n${more}\r\n${body}`,
      ].join('\r\n');
    const connection = await RawConnection.open(Number(new URL(base).port));
    const first = `traceparent: ${traceparent('01')}\r\n`;
    await connection.send(bytes('first', first) + bytes('second', `${second}Connection: close\r\n`));
    await connection.closed();
  }

  async function expectFirstAlone(names = ['set mirror']): Promise<void> {
    const spans = await traced.trace('first');
    const calls = spans.filter(({ parentSpanId }) => parentSpanId === named(ofFirst(spans), request).spanId);
    expect(calls.map(({ name }) => name)).to.have.members(names);
  }

  it('nor is it taken for a part of what was recorded before it on the same connection', async () => {
    await askBoth(service, `traceparent: ${traceparent('00')}\r\n`);
    await linesOf(service, 'second');
    await expectFirstAlone();
  });

  it('one that is neither recorded nor of a trace of its caller is in none, nor in that of the one before', async () => {
    traced.collector.spans.splice(0);
    const seldom = await traced.start({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' });
    await askBoth(seldom, '');
    const [line] = await linesOf(seldom, 'second');
    expect(line).not.to.have.any.keys('trace_id', 'span_id');
    await expectFirstAlone(['find campaign', 'look up key', 'judge', 'set mirror']);
  });

  for (const [what, malformed] of [
    ['of zeroes', `00-${'0'.repeat(32)}-${caller.spanId}-01`],
    ['in capitals', traceparent('01').toUpperCase()],
    ['of the version that there is not', `ff-${caller.traceId}-${caller.spanId}-01`],
    ['too long', `${traceparent('01')}-01`],
    ['without an end', `00-${caller.traceId}`],
    ['empty', ''],
  ] as const) {
    it(`a traceparent that is ${what} begins a new trace`, async () => {
      const headers = { traceparent: malformed, tracestate: 'vendor=state' };
      const requestId = `malformed-${what.replaceAll(' ', '-')}`;
      expect(await traced.ask(service, { requestId, headers })).to.equal(200);
      const span = named(await traced.trace(requestId), request);
      expect(span.traceId)
        .to.match(/^[0-9a-f]{32}$/)
        .and.not.equal(caller.traceId);
      expect([span.parentSpanId, span.traceState]).to.deep.equal(['', '']);
    });
  }

  it('what the caller did wrong is told, and is no error of the span', async () => {
    const asked = [
      ['no-campaign', { campaign: 999_999 }, 404, 'campaign-not-found'],
      ['no-route', { path: '/nowhere' }, 404, 'route-not-found'],
      ['no-key', { key: 'x' }, 401, 'invalid-key'],
      ['no-address', { body: '{"mirror_endpoint":"x"}' }, 422, 'not-a-url'],
    ] as const;
    for (const [requestId, how, status, because] of asked) {
      expect(await traced.ask(service, { requestId, ...how })).to.equal(status);
      const spans = await traced.trace(requestId);
      const span = named(spans, requestId === 'no-route' ? 'POST' : request);
      expect(span.attributes).to.include({
        'http.response.status_code': status,
        'campaign_mirror.because': because,
      });
      expect(spans.filter(({ isError }) => isError)).to.deep.equal([]);
      const judgement = spans.find(({ name }) => name === 'judge');
      expect(judgement?.attributes['campaign_mirror.because']).to.equal(status === 422 ? because : undefined);
      expect(judgement !== undefined).to.equal(status === 422);
    }
  });

  it('updates that go together: one statement, linked to the calls of all, and they to it', async () => {
    const together = (spans: readonly CollectedSpan[]) =>
      spans.find(({ name, links }) => name === 'set-mirrors' && links.length > 1);
    let number = 0;
    const ask = (campaign: number) => traced.ask(service, { requestId: `together-${number++}`, campaign });
    await eventually('updates that go together', async () => {
      await Promise.all([...traced.data.campaigns, ...traced.data.campaigns].map(ask));
      expect(together(traced.collector.spans)).not.to.equal(undefined);
    });
    const statement = await traced.collector.has(together);
    expect(statement.kind).to.equal('client');
    expect(statement.attributes['db.operation.batch.size']).to.equal(statement.links.length);
    const calls = await traced.collector.has((spans) => {
      const found = statement.links.flatMap((id) => spans.find(({ spanId }) => spanId === id) ?? []);
      return found.length === statement.links.length ? found : undefined;
    });
    expect([...new Set(calls.map(({ name }) => name))]).to.deep.equal(['set mirror']);
    expect(new Set(calls.map(({ traceId }) => traceId)).size).to.equal(calls.length);
    const [first, ...others] = calls;
    expect(first?.spanId).to.equal(statement.parentSpanId);
    expect(first?.links).to.deep.equal([]);
    for (const call of others) expect(call.links).to.deep.equal([statement.spanId]);
  });

  it('an update that waits for a row, and is tried again when PostgreSQL has ended it, keeps its place', async () => {
    const { database, campaigns } = traced.data;
    await database.admin.query(`
      create sequence campaign_mirror.tries;
      create function campaign_mirror.ending_the_first() returns trigger language plpgsql security definer as
        $$ begin if nextval('campaign_mirror.tries') = 1 then raise exception 'ended' using errcode = '40P01'; end if;
        return new; end $$;
      create trigger ending before update on campaign_mirror.mirrors for each row
        when (new.target_url like '%ended%') execute function campaign_mirror.ending_the_first()`);
    const other = await rival(database);
    await other.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', campaigns[0]);
    const body = '{"mirror_endpoint":"https://ended.example/"}';
    const answer = traced.ask(service, { requestId: 'held', body });
    await untilWaiting(database, answer);
    await other.commit();
    expect(await answer).to.equal(200);
    const spans = await traced.trace('held');
    const call = named(spans, 'set mirror');
    const tries = spans.filter(({ parentSpanId }) => parentSpanId === call.spanId);
    expect(tries.map(({ name, isError }) => [name, isError])).to.deep.equal([
      ['set-mirror', false],
      ['set-held-mirror-chains', true],
      ['set-held-mirror-chains', false],
    ]);
    expect(tries[1]?.attributes).to.include({ 'db.response.status_code': '40P01', 'error.type': '40P01' });
    expect(call.isError).to.equal(false);
  });

  it('docs/reference/logs.md: has what the log says of it', async () => {
    const { sampler, ratio } = await service.process.event('tracing');
    expect([sampler, ratio]).to.deep.equal(['parentbased_always_on', 1]);
    expect(schemaFaults(service.process.output)).to.deep.equal([]);
  });
});
