import { expect } from 'chai';
import { keptAlive } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { ask, chunkedBytes, goodBody, requestBytes, servesOn } from '../support/http/request.ts';
import { type HttpService, withHttpService } from '../support/http/service.ts';
import { ToldCounts } from '../support/http/told-counts.ts';

const refused = ['malformed', 'unknown', 'expired', 'revoked'] as const;
type Refused = (typeof refused)[number];

/** Of an address with too many. */
const tooMany = new ToldCounts(0);
let began: number;

/** What a caller sees of an answer but for what is each answer's own, such as the second in which it was given. */
async function seenBy(connection: RawConnection) {
  const { headers, ...others } = await connection.response();
  const { 'x-ratelimit-reset': reset } = headers;
  if (reset !== undefined) expect(Number(reset)).to.be.within(resetAt(began), resetAt(Date.now()));
  const masked = { date: '', 'x-request-id': '', ...(reset !== undefined && { 'x-ratelimit-reset': '' }) };
  return { ...others, headers: { ...headers, ...masked } };
}

/** The second in which the window of an answer ends that is given then. */
function resetAt(milliseconds: number): number {
  return Math.ceil((milliseconds + tooMany.resetIn) / 1_000);
}

function withKey({ keys }: HttpService, key: Refused) {
  return { Authorization: `Bearer ${key === 'malformed' ? 'cm_nothing' : keys[key]}` };
}

/** The connection of a refused key ends where its body was left unread, and tells the keys apart in no case. */
function sameForAll(service: () => HttpService, status: number) {
  const bodies: Record<string, (headers: Record<string, string>) => Buffer> = {
    'a body': (headers) => requestBytes(service(), { headers }),
    'no body': (headers) => requestBytes(service(), { headers, body: undefined }),
    'a body in chunks': (headers) => chunkedBytes(service(), [goodBody, ' '], { headers }),
    'the largest body': (headers) => requestBytes(service(), { headers, body: goodBody.padEnd(16_384) }),
  };

  beforeEach(() => {
    began = Date.now();
  });

  for (const [name, bytes] of Object.entries(bodies)) {
    it(`contract: answers — ${status}, ${name} that came along with the headers: the connection serves on`, async () => {
      const answers = new Set<string>();
      for (const key of refused) {
        const connection = await RawConnection.open(service().port);
        void connection.send(bytes(withKey(service(), key)));
        const seen = await seenBy(connection);
        expect(seen).to.have.property('status', status);
        expect(seen.headers, key).to.include(keptAlive);
        answers.add(JSON.stringify(seen));
        await servesOn(service(), connection);
      }
      expect([...answers]).to.have.lengthOf(1);
    });
  }

  it(`contract: answers — ${status}, a body that came later: the same answer, and the connection serves on`, async () => {
    const answers = new Set<string>();
    for (const key of refused) {
      const connection = await RawConnection.open(service().port);
      const bytes = requestBytes(service(), { headers: withKey(service(), key) });
      const head = bytes.indexOf('\r\n\r\n') + 4;
      await connection.send(bytes.subarray(0, head));
      // When another was answered that came after the headers, they have been read.
      expect(await ask(service())).to.have.property('status', 200);
      await connection.send(bytes.subarray(head));
      const seen = await seenBy(connection);
      expect(seen).to.have.property('status', status);
      answers.add(JSON.stringify(seen));
      await servesOn(service(), connection);
    }
    expect([...answers]).to.have.lengthOf(1);
  });

  it(`contract: answers — ${status}, in line behind each other: each is answered, and what follows is carried out`, async () => {
    const connection = await RawConnection.open(service().port);
    const requests = refused.map((key) => requestBytes(service(), { headers: withKey(service(), key) }));
    void connection.send(Buffer.concat([...requests, requestBytes(service())]));
    for (const _ of refused) expect(await seenBy(connection)).to.have.property('status', status);
    expect(await connection.response()).to.have.property('status', 200);
  });
}

describe('contract: answers — a key that is refused', () => {
  sameForAll(withHttpService(), 401);
});

describe('contract: answers — a key that is refused, of an address with too many', () => {
  sameForAll(withHttpService({ limits: { failedKeys: tooMany } }), 429);
});
