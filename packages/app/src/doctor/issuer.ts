import { IssuerKeys } from '@campaign-mirror/adapters-jwt';
import { issuerKeyOptions } from '../identity/token-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { type Finding, ok, problem } from './findings.ts';

/** Whether the public keys of the issuer of tokens can be fetched. */
export async function checkIssuer(settings: Settings): Promise<Finding> {
  const options = issuerKeyOptions(settings);
  const { promise, resolve } = Promise.withResolvers<Finding>();
  const name = `the keys of the issuer at ${options.url.host}`;
  const observer = {
    fetched: (count: number) =>
      resolve(
        count > 0
          ? ok('issuer', `${name} can be fetched: ${count}`)
          : problem('issuer', `${name} are none`, 'correct JWT_JWKS_URL; no token is accepted'),
      ),
    failed: (error: unknown) =>
      resolve(
        problem(
          'issuer',
          `${name} cannot be fetched (${reason(error)})`,
          'correct JWT_JWKS_URL, or the issuer',
        ),
      ),
  };
  void new IssuerKeys({ ...options, observer }).fetch();
  return promise;
}

/** Node's `fetch` says why in the cause. */
function reason(error: unknown): string {
  const { message, cause } = error as Error;
  const { code = undefined, message: because = undefined } = (cause ?? {}) as NodeJS.ErrnoException;
  return code ?? because ?? message;
}
