import { createHash } from 'node:crypto';
import { hostDenylist } from '@campaign-mirror/domain';
import { importLines } from '../../../packages/adapters-cli/src/import-export/campaign-csv.ts';
import { ClearError } from '../../../packages/adapters-cli/src/terminal/clear-error.ts';
import {
  checkEnd,
  checkedHeader,
  checkedPart,
} from '../../../packages/adapters-persistence/src/bulk/backup-check.ts';
import {
  type BackupTable,
  backupTables,
} from '../../../packages/adapters-persistence/src/bulk/backup-format.ts';
import { BackupFault, BackupReader } from '../../../packages/adapters-persistence/src/bulk/backup-reader.ts';
import { readSettings } from '../../../packages/app/src/settings/read-settings.ts';
import { inPieces, must, type Target } from './target.ts';

const denied = hostDenylist(['*.denied.example']);
if ('notAHost' in denied) throw new Error('no denylist');

const zeros = Object.fromEntries(backupTables.map((table) => [table, 0]));
const header = {
  format: 'campaign-mirror-backup',
  version: 1,
  migrations: [],
  server_version: '18',
  taken_at: 'x',
  last_numbers: zeros,
};
const rows = `${JSON.stringify(header)}\n{"table":"campaigns","columns":["id","name"]}\n1\ta\\n\n2\t\\N\n\\.\n`;
const whole = `${rows}${JSON.stringify({ rows: { ...zeros, campaigns: 2 }, sha256: createHash('sha256').update(rows).digest('hex') })}\n`;

/** What was found in a backup, or why it is none. @throws what else the reader throws */
async function backupIn(bytes: AsyncIterable<Buffer>): Promise<string> {
  try {
    const reader = new BackupReader(bytes);
    checkedHeader((await reader.object()).object);
    const counts: Partial<Record<BackupTable, number>> = {};
    for (const seen = new Set<BackupTable>(); ; ) {
      const { object, sha256 } = await reader.object();
      const part = checkedPart(object, seen);
      if ('sha256' in part) {
        checkEnd(part, counts, sha256);
        await reader.end();
        return JSON.stringify(counts);
      }
      seen.add(part.table);
      let content = '';
      for await (const piece of reader.rows()) content += piece.toString('latin1');
      must(content === '' || content.endsWith('\n'), 'half a row');
      counts[part.table] = content.split('\n').length - 1;
    }
  } catch (error) {
    if (error instanceof BackupFault) return error.message;
    throw error;
  }
}

async function linesIn(bytes: AsyncIterable<Buffer>): Promise<string> {
  try {
    const lines: unknown[] = [];
    for await (const line of importLines(bytes, denied as Exclude<typeof denied, { notAHost: string }>))
      lines.push(line);
    return JSON.stringify(lines);
  } catch (error) {
    if (error instanceof ClearError) return error.message;
    throw error;
  }
}

/** However the bytes are cut, they are read alike. */
const alike = (read: (bytes: AsyncIterable<Buffer>) => Promise<string>) => async (bytes: Buffer) => {
  const told = await read(inPieces(bytes, bytes.length + 1));
  for (const size of [1, 7, 100])
    must((await read(inPieces(bytes, size))) === told, `in pieces of ${size} it is another`);
};

const secret = 'hunter2secret';

/** What operators give: files and the environment. */
export const operatorTargets = {
  csv: {
    seeds: [
      'id,owner_id,name,target_url\r\n1,2,"a ""b""",https://one.example/\r\n,3,,\r\n',
      '\ufeffowner_id,is_default,clicks,created_at,updated_externally\n1,true,5,2026-11-20T15:36:00.123456Z,false\n\n"2\n',
      'owner_id,mirror_id,updated_externally_at,mirror_created_at,mirror_updated_at\n9007199254740991,1,,2026-11-20T15:36:00Z,x\n',
    ],
    words: [
      '"',
      '""',
      ',',
      '\r\n',
      '\n',
      'owner_id',
      'is_default',
      'true',
      '9007199254740992',
      '\ufeff',
      'https://a.denied.example/',
      '__proto__',
    ],
    read: alike(linesIn),
  },
  backup: {
    seeds: [whole, whole.replace('"name"', '"x"'), rows],
    words: [
      '\\.\n',
      '\n',
      '{"table":"mirrors","columns":["id"]}\n',
      '"rows":',
      '"sha256":',
      '\\N',
      'null',
      '[]',
      '{}',
      '__proto__',
    ],
    read: alike(backupIn),
  },
  settings: {
    seeds: [
      `DATABASE_URL=postgres://u:${secret}@h:5432/d?sslmode=require\nPORT=3000\nWORKERS=auto\nLOG_LEVEL=info`,
      `REDIS_URL=redis://:${secret}@h:6379/1\nKEY_LIMIT=10/1m\nTRUSTED_PROXIES=loopback,10.0.0.0/8\nBODY_LIMIT=16KiB`,
      `PGHOST=a\nPGPASSWORD=${secret}\nPGUSER=b\nMIRROR_HOST_DENYLIST=*.example.com\nSTATEMENT_TIMEOUT=5s\nRETRY_AFTER=1s`,
    ],
    words: [
      '=',
      '\n',
      'DATABASE_URL=',
      'PORT=',
      'off',
      '5s',
      '10ms',
      '1/s',
      '::1',
      '0.0.0.0/0',
      '%',
      '?sslmode=',
      'postgres://',
      '99999999999',
      '-1',
      ' ',
    ],
    read: (bytes) => {
      const lines = bytes
        .toString('utf8')
        .split('\n')
        .filter((line) => /^\w+=/.test(line) && !/^\w*FILE=/.test(line));
      const environment: Record<string, string> = Object.fromEntries(
        lines.map((line) => line.split(/=(.*)/s, 2)),
      );
      const read = readSettings(environment);
      const told = 'wrong' in read ? read.wrong : read.notes;
      const isSecretOnly = Object.entries(environment).every(
        ([name, value = '']) =>
          /^(?:DATABASE_URL|REDIS_URL|PGPASSWORD)$/.test(name) || !value.includes(secret),
      );
      const leak = told.find((line) => line.includes(secret));
      must(!isSecretOnly || leak === undefined, `a secret is told: ${leak}`);
      if ('wrong' in read)
        must(read.wrong.length > 0 && read.about.length > 0, 'nothing is said of what is wrong');
    },
  },
} satisfies Record<string, Target>;
