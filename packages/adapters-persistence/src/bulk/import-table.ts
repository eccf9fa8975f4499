import { claimsOf, type ImportLine } from '@campaign-mirror/domain';
import type { PoolClient } from 'pg';
import { copyIn, copyLine } from './copy-rows.ts';

/** The lines to import and their faults, until the end of the transaction. */
const create = `
  create temporary table imported_lines (
    line bigint, faults json,
    id bigint, name text, mirror_id bigint, default_of bigint,
    owner_id bigint, is_default boolean, created_at timestamptz(6), target_url text, clicks bigint,
    updated_externally boolean, updated_externally_at timestamptz(6),
    mirror_created_at timestamptz(6), mirror_updated_at timestamptz(6)
  ) on commit drop`;

/** Rows are sent in pieces of about this many characters. */
const piece = 65_536;

export async function fillImportTable(client: PoolClient, lines: AsyncIterable<ImportLine>): Promise<void> {
  await client.query(create);
  await copyIn(client, 'copy pg_temp.imported_lines from stdin', pieces(lines));
  await client.query('analyze pg_temp.imported_lines');
}

async function* pieces(lines: AsyncIterable<ImportLine>): AsyncGenerator<string> {
  let text = '';
  for await (const line of lines) {
    text += rowOf(line);
    if (text.length < piece) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

function rowOf(line: ImportLine): string {
  const isGood = 'campaign' in line;
  const { id, name, mirrorId, defaultOf } = isGood ? claimsOf(line.campaign) : line.claims;
  const faults = isGood ? null : JSON.stringify(line.faults);
  const claims = [line.line, faults, id, name, mirrorId, defaultOf];
  if (!isGood) return copyLine([...claims, null, null, null, null, null, null, null, null, null]);
  const { ownerId, isDefault, createdAt, mirror } = line.campaign;
  return copyLine([
    ...claims,
    ownerId,
    isDefault,
    createdAt,
    mirror?.targetUrl ?? null,
    mirror?.clicks ?? null,
    mirror?.updatedExternally ?? null,
    mirror?.updatedExternallyAt ?? null,
    mirror?.createdAt ?? null,
    mirror?.updatedAt ?? null,
  ]);
}
