import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { blocksOf } from '../support/documents/blocks.ts';
import { call } from '../support/http/caller.ts';
import { httpServer } from '../support/http/http-server.ts';
import { goodBody, pathOf } from '../support/http/request.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { listeningService, start } from '../support/process/service-process.ts';
import { marked, unknownKey } from '../support/secrets.ts';
import { projectFolder } from '../support/workspace.ts';
import { requestsWith, send } from './hostile-requests.ts';

const page = 'docs/how-to/trace-requests.md';
const [command, variables] = blocksOf(readFileSync(`${projectFolder}${page}`, 'utf8'))
  .filter(({ marker = '' }) => marker.startsWith('tested: '))
  .map(({ text }) => text);
const request = 'POST /public/v1/mirror/campaign/:campaign/mirror';
const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

/** In OTLP's form of JSON. */
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

describe(`traces: ${page}`, () => {
  const data = serviceDataOf('test');
  /** What the collector was sent. */
  let bodies: string[];
  let collector: Awaited<ReturnType<typeof httpServer>>;
  let isSilent: boolean;
  beforeEach(async () => {
    bodies = [];
    isSilent = false;
    collector = await httpServer(async (request, response) => {
      const body = await text(request.setEncoding('latin1'));
      if (request.url === '/v1/traces') bodies.push(body);
      if (!isSilent) response.end();
    });
  });
  afterEach(() => collector.close());

  const spans = (): Span[] =>
    bodies
      .flatMap((body) => JSON.parse(body).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap((scope) => scope.spans);
  /** As the page has it for systemd and containers. */
  const traced = (more: Readonly<Record<string, string>> = {}) =>
    listeningService({
      ...data.settings(),
      ...parseEnv(variables?.replace('/opt/campaign-mirror/', projectFolder) ?? ''),
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      ...{ OTEL_BSP_SCHEDULE_DELAY: '1', ...more },
    });
  it('a call: its request, Koa and its statement in the trace of the caller, and so is its log line', async () => {
    const service = await traced();
    const headers = {
      authorization: `Bearer ${data.key}`,
      'content-type': 'application/json',
      traceparent: `00-${caller.traceId}-${caller.spanId}-01`,
    };
    const path = `${pathOf(Number(data.campaigns[0]))}?${marked}`;
    const answer = await fetch(`${service.base}${path}`, { method: 'POST', headers, body: goodBody });
    expect(answer.status).to.equal(200);
    const { trace_id, span_id } = await service.process.event('request');
    expect(trace_id).to.equal(caller.traceId);
    await fetch(`${service.ops}/readyz`);
    await fetch(`${service.ops}/metrics`);
    expect(await service.process.stop()).to.deep.equal({ code: 0, signal: null });
    expect(service.process.errors).to.equal('');
    const all = spans();
    expect(new Set(all.map(({ traceId }) => traceId))).to.deep.equal(new Set([caller.traceId]));
    const server = all.find(({ name }) => name === request);
    expect(server).to.include({ spanId: span_id, parentSpanId: caller.spanId });
    const parentOf = (child?: Span) => all.find(({ spanId }) => spanId === child?.parentSpanId);
    let up = parentOf(all.find(({ name }) => name.startsWith('pg.query:set-mirrors ')));
    expect(up?.name).to.match(/^router - /);
    while (up && up !== server) up = parentOf(up);
    expect(up).to.equal(server);
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
      await call(data.one(service, { address: `https://${target}/${marked}` }));
    await service.process.stop();
    const sent = bodies.join('');
    expect(sent).to.include(request);
    const secrets = [marked, unknownKey, data.key, String(data.database.address('service').password)];
    for (const secret of [...secrets, 'good.example', 'quoted.example', 'campaign/1/'])
      expect(sent.includes(secret), secret).to.equal(false);
  });

  it('as the page starts it: what waits at the end is sent, and nothing is lost', async () => {
    const words = command?.replace('http://127.0.0.1:4318', collector.url) ?? '';
    const npm = start('sh', ['-c', words], { ...data.settings(), OTEL_BSP_SCHEDULE_DELAY: '3600000' });
    const { port, pid } = await npm.event('listening');
    await call(data.one({ base: `http://127.0.0.1:${port}` }));
    expect(bodies).to.deep.equal([]);
    process.kill(Number(pid), 'SIGTERM');
    await npm.ended;
    expect(bodies.join('')).to.include(request);
  });

  for (const how of ['away', 'silent'])
    it(`a collector that is ${how} harms no call, and does not hold up the end, at which the loss is told`, async () => {
      if (how === 'away') await collector.close();
      isSilent = true;
      // Nothing but the service ends the wait for it.
      const patient = { OTEL_EXPORTER_OTLP_TIMEOUT: '3600000', OTEL_BSP_EXPORT_TIMEOUT: '3600000' };
      const service = await traced(patient);
      for (let number = 0; number < 5; number++) expect((await call(data.one(service))).status).to.equal(200);
      expect(await service.process.stop()).to.deep.equal({ code: 0, signal: null });
      const told = service.process.log.filter(({ level }) => Number(level) >= 40);
      expect(told.map(({ event }) => event)).to.deep.equal(['spans-lost']);
    });
});
