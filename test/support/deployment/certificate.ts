import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { program } from '../programs.ts';

/** Paths of PEM files, and what a caller trusts that is to trust it. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

/** A certificate of its own making for a host, in a folder. */
export function selfMadeCertificate(folder: string, host: string): Certificate {
  const [certificate, key] = [`${folder}/certificate.pem`, `${folder}/key.pem`];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'];
  const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync(program('openssl'), ['req', ...kind, ...names, ...files], { stdio: 'pipe' });
  return { certificate, key, ca: readFileSync(certificate, 'utf8') };
}
