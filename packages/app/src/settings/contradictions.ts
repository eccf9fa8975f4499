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
  if (PORT !== 0 && PORT === OPS_PORT && HOST === OPS_HOST) {
    found.push({ about: ['PORT', 'OPS_PORT'], line: `PORT and OPS_PORT must differ, both are ${PORT}` });
  }
  if (REUSE_PORT === 'on' && PORT === 0) {
    const line = 'REUSE_PORT=on needs a PORT: with 0 each process would take another';
    found.push({ about: ['REUSE_PORT', 'PORT'], line });
  }
  for (const name of ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'] as const) {
    if (IDENTITY === 'keys' || read[name] !== undefined) continue;
    found.push({ about: [name, 'IDENTITY'], line: `IDENTITY=${IDENTITY} needs ${name}` });
  }
  try {
    if (isYours(read)) yourDatabase(read);
  } catch (error) {
    const about: SettingName[] = ['DATABASE_URL', 'PGHOST', 'PGSSLMODE', 'PGSSLROOTCERT'];
    found.push({ about, line: (error as Error).message });
  }
  return found;
}
