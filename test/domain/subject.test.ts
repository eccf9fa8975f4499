import {
  type AccessKeyId,
  accessKeyOf,
  keySubject,
  operatorSubject,
  partsOf,
  type Subject,
  subject,
} from '@campaign-mirror/domain';
import { expect } from 'chai';

describe('subjects', () => {
  it('a key is named by its number, and found again', () => {
    const key = keySubject(17 as AccessKeyId);
    expect(key).to.equal('key:17');
    expect(accessKeyOf(key)).to.equal(17);
    expect(partsOf(key)).to.deep.equal({ kind: 'key', name: '17' });
  });

  it('the operator has no name and no key', () => {
    expect(partsOf(operatorSubject)).to.deep.equal({ kind: 'operator', name: undefined });
    expect(accessKeyOf(operatorSubject)).to.equal(undefined);
  });

  it('another has a kind and a name, which may hold colons, and is no key', () => {
    const other = subject('jwt', 'https://issuer.example/clients/4');
    expect(other).to.equal('jwt:https://issuer.example/clients/4');
    expect(other && partsOf(other)).to.deep.equal({ kind: 'jwt', name: 'https://issuer.example/clients/4' });
    expect(other && accessKeyOf(other)).to.equal(undefined);
    expect(accessKeyOf(subject('jwt', '17') as Subject), 'a number that is no key').to.equal(undefined);
    expect(subject('a-20-characters-long', 'é'.repeat(200))).to.be.a('string');
  });

  const refused: [why: string, kind: string, name: string][] = [
    ['a kind of ours, the key', 'key', '17'],
    ['a kind of ours, the operator', 'operator', 'somebody'],
    ['no kind', '', 'client-4'],
    ['a kind with a colon', 'a:b', 'client-4'],
    ['a kind in capitals', 'JWT', 'client-4'],
    ['a kind that is too long', 'a-21-characters-long-', 'client-4'],
    ['no name', 'jwt', ''],
    ['a name that is too long', 'jwt', 'x'.repeat(201)],
    ['a name of two lines', 'jwt', 'client\n4'],
    ['a name with a character that PostgreSQL does not store', 'jwt', 'client\0'],
    ['a name that is not Unicode', 'jwt', 'client\ud800'],
  ];
  for (const [why, kind, name] of refused) {
    it(`not a subject: ${why}`, () => {
      expect(subject(kind, name)).to.equal(undefined);
    });
  }
});
