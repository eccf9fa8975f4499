import * as v from 'valibot';
import { databaseUrlParts } from './database-url.ts';
import type { SettingType } from './setting-types.ts';

export const databaseUrl: SettingType<string> = {
  type: 'URL',
  range: '',
  schema: v.pipe(
    v.string(),
    v.check(
      (url) => databaseUrlParts(url) !== undefined,
      'a URL such as postgres://user:password@host:5432/database, with one host, and what is special in it percent-encoded',
    ),
  ),
};

/** Only one: the driver tries no second. */
export const databaseHost: SettingType<string> = {
  type: 'address',
  range: '',
  schema: v.pipe(
    v.string(),
    v.regex(/^(?:\/[^\p{Cc},]*|[^\s\p{Cc},/]+)$/u, 'one host name, IP address, or the folder of a socket'),
  ),
};

/** Checked where your own database is used: a value meant for other programs must not stop the embedded one. */
export const sslMode: SettingType<string> = {
  type: 'one of',
  range: 'disable, require, verify-ca, verify-full',
  schema: v.string(),
};

export const caFile: SettingType<string> = { type: 'file', range: '', schema: v.string() };
