import type { SettingName, Settings } from './settings.ts';
import { isYours, yourDatabase } from './your-database.ts';

/** What is wrong, in one line that shows no secret, and the settings concerned. */
export interface Mistake {
  readonly about: SettingName[];
  readonly line: string;
}

/** Settings that are valid individually, but not together. */
export function contradictions(read: Settings): Mistake[] {
  const { HOST, PORT, OPS_HOST, OPS_PORT, REUSE_PORT, IDENTITY } = read;
  const found: Mistake[] = [];
  const refuse = (line: string, ...about: SettingName[]) => found.push({ about, line });
  if (PORT !== 0 && PORT === OPS_PORT && HOST === OPS_HOST) {
    refuse(`PORT and OPS_PORT must differ, both are ${PORT}`, 'PORT', 'OPS_PORT');
  }
  if (REUSE_PORT === 'on' && PORT === 0) {
    refuse('REUSE_PORT=on needs a PORT: with 0 each process takes another', 'REUSE_PORT', 'PORT');
  }
  for (const name of ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'] as const) {
    if (IDENTITY !== 'keys' && !read[name]) refuse(`IDENTITY=${IDENTITY} needs ${name}`, name, 'IDENTITY');
  }
  try {
    if (isYours(read)) yourDatabase(read);
  } catch (error) {
    refuse((error as Error).message, 'DATABASE_URL', 'PGHOST', 'PGSSLMODE', 'PGSSLROOTCERT');
  }
  return found;
}
