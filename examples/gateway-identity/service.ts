import { createHmac, timingSafeEqual } from 'node:crypto';
import { runService, tokens } from '@campaign-mirror/app';
import { type Identified, type Identity, ownerId, subject } from '@campaign-mirror/domain';
import { ContainerModule } from 'inversify';

/**
 * Identifies the caller by the header of the gateway: `{ owner, user, until }` in base64url, a dot, and its HMAC with
 * SHA-256.
 */
function gatewayIdentity(secret: string): Identity {
  const whoIs = async (credential: string): Promise<Identified> => {
    const [claims = '', signature = ''] = credential.split('.');
    const expected = createHmac('sha256', secret).update(claims).digest();
    const actual = Buffer.from(signature, 'base64url');
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected))
      return { refused: 'gateway-signature' };
    const { owner, user, until } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    if (!(Date.now() < until)) return { refused: 'gateway-expired' };
    const caller = ownerId(owner);
    const by = subject('gateway', user);
    return caller && by ? { ownerId: caller, subject: by } : { refused: 'gateway-caller' };
  };
  return { whoIs };
}

const { GATEWAY_SECRET: secret = '' } = process.env;
if (secret.length < 32) throw new Error('GATEWAY_SECRET: at least 32 characters');
const gateway = new ContainerModule(({ rebind }) => {
  rebind(tokens.identity).toConstantValue(gatewayIdentity(secret));
  rebind(tokens.credentialForm).toConstantValue({
    credentialHeader: 'X-Gateway-Caller',
    isWellFormed: (text) => /^[\w-]+\.[\w-]{43}$/.test(text),
  });
});
process.exit(await runService(process.env, { modules: [gateway] }));
