import { Capacity, type CapacityLimits, type Overload } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { ask, bodyIsComing, heldUp, lastBytes, requestBytes, servesOn } from '../support/http/request.ts';
import { type HttpService, httpService, withHttpService } from '../support/http/service.ts';
import { eventually } from '../support/promises.ts';

describe('contract: overload', () => {
  const data = withHttpService();
  let service: HttpService;
  let told: Overload[];
  afterEach(() => service.stop());

  async function serving(limits: CapacityLimits): Promise<void> {
    told = [];
    const capacity = new Capacity(limits, (what) => told.push(what));
    service = await httpService({ capacity }, data());
  }

  /** The one place that there is is taken. */
  async function full() {
    const bytes = requestBytes(service, { headers: { 'X-Request-Id': 'carried' } });
    const { connections, letGo } = await heldUp(service, bytes);
    return { carried: connections[0] as RawConnection, letGo };
  }

  async function expectRefusal(connection: RawConnection) {
    const { status, body, headers } = await connection.response();
    const refusal = [503, '{"message":"Service Unavailable"}', '1'];
    expect([status, body, headers['retry-after']]).to.deep.equal(refusal);
    return headers;
  }

  it('503 while there is no room, before all that the application looks at, and service when there is', async () => {
    await serving({ inFlight: 1 });
    const { carried, letGo } = await full();
    const headers = { 'X-Request-Id': 'too-many', Authorization: undefined };
    const bytes = requestBytes(service, { target: '/nowhere', headers });
    const another = await RawConnection.open(service.port, bytes);
    // The same bytes as where the database is away.
    const { date, ...answered } = await expectRefusal(another);
    expect(answered).to.deep.equal({
      ...standing,
      ...keptAlive,
      'retry-after': '1',
      'content-type': json,
      'content-length': '33',
      'x-request-id': 'too-many',
    });
    expect(await service.log.line('too-many')).to.include({ overload: true });
    await letGo();
    expect((await carried.response()).status).to.equal(200);
    // On the same connection: the refusal left it open.
    await servesOn(service, another);
  });

  it('a request whose caller has left counts; a refusal waits for a second, and is not carried out meanwhile', async () => {
    await serving({ inFlight: 1 });
    const { carried, letGo } = await full();
    await carried.reset();
    const bytes = requestBytes(service, { headers: { 'X-Request-Id': 'refused' } });
    const another = await RawConnection.open(service.port, bytes);
    await eventually('a refusal', () => expect(service.capacity.refusals.get('requests')).to.equal(1));
    expect(told).to.deep.equal(['requests']);
    await letGo();
    expect(await service.log.line('carried')).to.include({ callerGone: true });
    // There is room, and others are served while it waits.
    await eventually('room', () => expect(service.capacity.inFlight).to.equal(0));
    expect((await ask(service)).status).to.equal(200);
    expect(service.log.requests.map(({ requestId }) => requestId)).not.to.include('refused');
    await expectRefusal(another);
    const history = await service.world.others.history(service.campaigns.own);
    expect(history.map(({ requestId }) => requestId)).not.to.include('refused');
  });

  it('callers whose bodies do not come take no place; those beyond the limit are refused when they come', async () => {
    await serving({ inFlight: 1 });
    const slow = [await bodyIsComing(service), await bodyIsComing(service), await bodyIsComing(service)];
    const { carried, letGo } = await full();
    for (const connection of slow) await connection.send(lastBytes);
    for (const connection of slow) await expectRefusal(connection);
    await letGo();
    expect((await carried.response()).status).to.equal(200);
  });

  it('connections beyond the limit are closed at once, and one that ends makes room', async () => {
    await serving({ inFlight: 9, connections: 2 });
    const [first, second] = [await RawConnection.open(service.port), await RawConnection.open(service.port)];
    await (await RawConnection.open(service.port)).closed();
    expect(told).to.deep.equal(['connections']);
    await first.reset();
    for (const connection of [second, await RawConnection.open(service.port)])
      await servesOn(service, connection);
  });

  it('503 while each turn of the event loop takes too long, not when they are short again, nor for a single one', async () => {
    await serving({ inFlight: 9, eventLoopDelay: 50 });
    const block = () => {
      for (const end = performance.now() + 200; performance.now() < end; );
    };
    const blocking = setInterval(block);
    await eventually('a refusal', async () => expect((await ask(service)).status).to.equal(503));
    clearInterval(blocking);
    expect(told).to.include('event-loop-delay');
    await eventually('no delay', async () => expect((await ask(service)).status).to.equal(200));
    block();
    expect((await ask(service)).status).to.equal(200);
  });
});
