import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { program } from '../programs.ts';

export interface Certificate {
  /** Paths of PEM files. */
  readonly certificate: string;
  readonly key: string;
  /** What a caller trusts that is to trust it. */
  readonly ca: string;
}

/** A certificate of its own making for a host, in a folder. */
export async function selfMadeCertificate(folder: string, host: string): Promise<Certificate> {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'];
  const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  await promisify(execFile)(program('openssl'), [
    'req',
    ...kind,
    ...names,
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
  return { certificate, key, ca: await readFile(certificate, 'utf8') };
}
