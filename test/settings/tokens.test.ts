import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';

const tokens = {
  IDENTITY: 'jwt',
  JWT_ISSUER: 'https://issuer.example/realms/ads',
  JWT_AUDIENCE: 'campaign-mirror',
  JWT_JWKS_URL: 'https://issuer.example/realms/ads/protocol/openid-connect/certs',
};

const wrong = (environment: Record<string, string>) => {
  const read = readSettings(environment);
  return 'wrong' in read ? read.wrong : [];
};

describe('settings of tokens', () => {
  it('the issuer, its keys and the audience are needed where tokens are accepted', () => {
    for (const IDENTITY of ['jwt', 'both']) {
      expect(wrong({ IDENTITY })).to.deep.equal(
        ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'].map((name) => `IDENTITY=${IDENTITY} needs ${name}`),
      );
      expect(wrong({ ...tokens, IDENTITY })).to.deep.equal([]);
    }
    expect(wrong({ IDENTITY: 'keys' })).to.deep.equal([]);
  });

  it('a note says that they are not used for keys', () => {
    const notes = (environment: Record<string, string>) => {
      const read = readSettings(environment);
      return 'notes' in read ? read.notes : [];
    };
    expect(notes({ ...tokens, IDENTITY: 'keys' })).to.have.length(1);
    expect(notes(tokens)).to.deep.equal([]);
  });

  const urls = [
    ['http://issuer.example/jwks', 'https://user:MARKED@issuer.example/jwks', 'issuer.example', 'ftp://a/b'],
    ['http://localhost.example/', 'http://127.0.0.1.example/', 'http://10.0.0.1/', 'https://issuer example/'],
  ].flat();
  for (const url of urls) {
    it(`JWT_JWKS_URL=${url} is refused`, () => {
      expect(wrong({ ...tokens, JWT_JWKS_URL: url })).to.have.length(1);
    });
  }

  for (const url of [
    'http://localhost:8080/jwks',
    'http://127.0.0.1/jwks',
    'http://[::1]:1/',
    'https://a.example/?b=c',
  ]) {
    it(`JWT_JWKS_URL=${url} is accepted`, () => {
      const read = readSettings({ ...tokens, JWT_JWKS_URL: url });
      expect('settings' in read && read.settings.JWT_JWKS_URL?.href).to.equal(url);
    });
  }
});
