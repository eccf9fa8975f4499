/** What prevents TLS to the database, and what to do; by Node's codes (OpenSSL's X509_V_ERR_…). */
const unknownIssuer =
  'has a certificate of a CA that is not trusted: name the file of the CA by sslrootcert or PGSSLROOTCERT';

const byCode: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownIssuer,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  CERT_SIGNATURE_FAILURE: unknownIssuer,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'has a certificate for another host: connect by the name that it is for, or check the CA alone with sslmode=verify-ca',
  CERT_HAS_EXPIRED: 'has a certificate that has expired: renew it there',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet: check the clocks',
};

/** Completes "the database …"; undefined where TLS was not the cause. */
export function tlsFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, message } = error as NodeJS.ErrnoException;
  // The driver reports it without a code.
  if (message === 'The server does not support SSL connections') {
    return 'does not speak TLS, which sslmode asks for: switch it on there (ssl = on), or set sslmode=disable';
  }
  if (code === undefined) return undefined;
  if (code in byCode) return byCode[code];
  if (/^ERR_(?:SSL|TLS|OSSL)_/.test(code))
    return `and we cannot agree on TLS (${code}): check its settings (ssl_…)`;
  return /CERT/.test(code) ? `has a certificate that is refused (${code}): renew it there` : undefined;
}

/** A server that requires or forbids TLS says so in the words of its language: only English is recognized. */
export function wantsTls(error: unknown): boolean {
  return error instanceof Error && /pg_hba\.conf .*no encryption/.test(error.message);
}
