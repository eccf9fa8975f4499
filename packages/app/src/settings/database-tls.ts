import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ConnectionOptions, createSecureContext, getCACertificates } from 'node:tls';
import type { TlsParameters } from './database-url.ts';

/** As in libpq. Its `allow` and `prefer` guarantee nothing, and continue without TLS where there is none. */
const modes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof modes)[number];

/** How a connection is encrypted, or what is wrong with its parameters. */
export type Tls =
  | { readonly mode: 'disable'; readonly ssl: false }
  | { readonly mode: Exclude<Mode, 'disable'>; readonly ssl: ConnectionOptions }
  | { readonly parameter: keyof TlsParameters; readonly wrong: string };

/**
 * `require` encrypts, and accepts any server; with a CA it acts as `verify-ca`, which also checks that the CA signed
 * the server's certificate; `verify-full` also checks the host name. A CA without a mode means `verify-full`.
 */
export function databaseTls(given: TlsParameters, host: string): Tls {
  const { sslrootcert, sslcert, sslkey } = given;
  const named = given.sslmode === 'no-verify' ? 'require' : given.sslmode;
  if (named !== undefined && !isMode(named)) {
    return { parameter: 'sslmode', wrong: `sslmode must be ${modes.join(', ')}` };
  }
  const mode = named ?? (sslrootcert || sslcert || sslkey ? 'verify-full' : 'disable');
  if (mode === 'disable') return { mode, ssl: false };
  if (mode === 'verify-ca' && sslrootcert === undefined) {
    return {
      parameter: 'sslmode',
      wrong:
        'sslmode=verify-ca needs sslrootcert, the file of the certificate of your CA; or use verify-full',
    };
  }
  if (mode !== 'verify-full' && sslrootcert === 'system') {
    return { parameter: 'sslrootcert', wrong: 'sslrootcert=system needs sslmode=verify-full' };
  }
  const read = files(given);
  if ('wrong' in read) return read;
  const believing = given.sslmode === 'no-verify' || (mode === 'require' && sslrootcert === undefined);
  if (believing) return { mode: 'require', ssl: { ...read.own, rejectUnauthorized: false } };
  const ssl = { ...read.own, ...(read.ca && { ca: read.ca }), rejectUnauthorized: true };
  // Set explicitly, because versions of the driver before 8.23.1, one of which MikroORM has, otherwise check an IP
  // address as `localhost`.
  if (mode === 'verify-full') return { mode, ssl: { ...ssl, host } };
  return { mode: 'verify-ca', ssl: { ...ssl, checkServerIdentity: () => undefined } };
}

function isMode(text: string): text is Mode {
  return (modes as readonly string[]).includes(text);
}

type Read = { readonly ca?: string | string[]; readonly own: { cert?: string; key?: string } };
type Unread = Extract<Tls, { wrong: string }>;

function files({ sslrootcert, sslcert, sslkey }: TlsParameters): Read | Unread {
  let parameter: keyof TlsParameters = 'sslrootcert';
  const text = (name: typeof parameter, path: string | undefined) => {
    parameter = name;
    return path === undefined ? undefined : readFileSync(path, 'utf8');
  };
  try {
    const ca = sslrootcert === 'system' ? getCACertificates('system') : text('sslrootcert', sslrootcert);
    // Node accepts a file without a certificate, and then trusts no server.
    if (typeof ca === 'string' && !holdsCertificate(ca)) {
      return { parameter, wrong: `sslrootcert ${sslrootcert} holds no certificate (PEM)` };
    }
    const cert = text('sslcert', sslcert);
    const key = text('sslkey', sslkey);
    const own = { ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
    if ((cert === undefined) !== (key === undefined) || !isPair(own)) {
      return {
        parameter: 'sslcert',
        wrong: 'sslcert and sslkey must be files of one certificate and its key',
      };
    }
    return { ...(ca !== undefined && { ca }), own };
  } catch (error) {
    const path = { sslrootcert, sslcert, sslkey }[parameter as 'sslkey'];
    const { code } = error as NodeJS.ErrnoException;
    return { parameter, wrong: `${parameter} ${path} cannot be read (${code ?? 'no file'})` };
  }
}

function holdsCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem) instanceof X509Certificate;
  } catch {
    return false;
  }
}

function isPair(own: { cert?: string; key?: string }): boolean {
  try {
    createSecureContext(own);
    return true;
  } catch {
    return false;
  }
}
