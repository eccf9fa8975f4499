import {
  type AccessKeyId,
  accessKeyId,
  campaignId,
  historyId,
  keySubject,
  label,
  mirrorId,
  ownerId,
  partsOf,
  type Subject,
  subject,
  timestamp,
} from '@campaign-mirror/domain';
import { auditId } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';

const party = '\u{1f389}';

describe('contract: the path — an identifier is a decimal integer from 1 to 2^53-1', () => {
  for (const read of [campaignId, ownerId, mirrorId, accessKeyId, historyId, auditId]) {
    it(`${read.name} reads nothing else`, () => {
      for (const text of ['1', '42', '9007199254740991']) expect(read(text)).to.equal(Number(text));
      const others = `0 -1 +1 01 1.0 1e3 1_000 0x1 1n %31 NaN 1a \u0661 \uff11 1\u200b 9007199254740992
        9007199254740993 99999999999999999999`;
      for (const text of [...others.split(/\s+/), '', ' ', '1 ', ' 1', '1\n', '\n1'])
        expect(read(text), JSON.stringify(text)).to.equal(undefined);
      for (const number of [1, 42, Number.MAX_SAFE_INTEGER]) expect(read(number)).to.equal(number);
      for (const number of [0, -0, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])
        expect(read(number), String(number)).to.equal(undefined);
    });
  }
});

describe('a label: the name of a campaign or a key', () => {
  it('is one line of at most 200 characters, without the white space around it', () => {
    const accepted = ['x', 'Summer  sale 2026', `Été — 夏 e\u0301 ${party}`, `"it's" <b>&amp;</b> $1 % ?`];
    for (const text of [...accepted, 'x'.repeat(200), party.repeat(200)]) expect(label(text)).to.equal(text);
    expect(label('  Summer\t\n')).to.equal('Summer');
    for (const text of ['', ' \t\n\u00a0\u2003', 'x'.repeat(201), party.repeat(201)])
      expect(label(text)).to.equal(undefined);
    // Carriage return, NUL, escape, C1, DEL, line and paragraph separators, half of a surrogate pair.
    for (const control of '\n\r\t\0\u001b\u009b\u007f\u2028\u2029\ud800')
      expect(label(`a${control}b`), JSON.stringify(control)).to.equal(undefined);
  });
});

describe('a subject: who changed a mirror', () => {
  it('is a key by its number, the operator, or a kind with a name', () => {
    expect(keySubject(17 as AccessKeyId)).to.equal('key:17');
    expect(partsOf('key:17' as Subject)).to.deep.equal({ kind: 'key', name: '17' });
    expect(partsOf('operator' as Subject)).to.deep.equal({ kind: 'operator', name: undefined });
    const name = 'https://issuer.example/clients/4';
    expect(subject('jwt', name)).to.equal(`jwt:${name}`);
    expect(partsOf(`jwt:${name}` as Subject)).to.deep.equal({ kind: 'jwt', name });
    expect(subject('a-20-characters-long', 'é'.repeat(200))).to.be.a('string');
  });

  it('of another identity cannot be a key or the operator, or hold control characters', () => {
    for (const kind of ['key', 'operator', '', 'a:b', 'JWT', 'a-21-characters-long-'])
      expect(subject(kind, 'client-4'), kind).to.equal(undefined);
    for (const name of ['', 'x'.repeat(201), 'client\n4', 'client\u2028', 'client\0', 'client\ud800'])
      expect(subject('jwt', name), JSON.stringify(name)).to.equal(undefined);
  });
});

describe('a time in the form of the interface', () => {
  const time = '2026-11-20T15:36:00.123456Z';

  it('exists in the calendar, from the year 1 to 9999, to the microsecond', () => {
    const leap = ['2024-02-29T23:59:59.999999Z', '2000-02-29T00:00:00.000001Z'];
    for (const text of [time, '0001-01-01T00:00:00.000000Z', '2024-12-31T00:00:00.000000Z', ...leap])
      expect(timestamp(text)).to.equal(text);
    const days = '2026-02-29 1900-02-29 2026-04-31 2026-13-01 2026-00-10 2026-01-00 0000-01-01 2026-12-32';
    for (const day of days.split(' ')) expect(timestamp(`${day}T00:00:00.000000Z`), day).to.equal(undefined);
    for (const hour of ['24:00:00', '23:60:00', '23:59:60'])
      expect(timestamp(`2026-01-01T${hour}.000000Z`), hour).to.equal(undefined);
    const around = [`+1${time}`, ` ${time}`, `${time}\n`, '', '2026-11-20T15:36:00Z'];
    for (const text of [...around, '2026-11-20T15:36:00.1234567Z', '2026-11-20t15:36:00.123456z'])
      expect(timestamp(text), JSON.stringify(text)).to.equal(undefined);
  });
});
