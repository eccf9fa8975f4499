import type { Role } from './roles.ts';
import { schema } from './schema.ts';

/** A right on an object of the schema. */
export interface Grant {
  readonly right: 'select' | 'insert' | 'update' | 'delete' | 'usage' | 'execute';
  readonly kind: 'table' | 'sequence' | 'function';
  /** The object's name, without its schema. */
  readonly on: string;
  /** The columns of a table that are needed; empty for the whole table. */
  readonly columns: readonly string[];
  /** Whether the right is granted on the whole object, not on these columns alone. */
  readonly isWhole: boolean;
}

type Columns = Pick<Grant, 'columns' | 'isWhole'>;
type Rights = Readonly<Partial<Record<Grant['right'], Columns>>>;

const only = (...columns: string[]): Columns => ({ columns, isWhole: false });
const whole = (...columns: string[]): Columns => ({ columns, isWhole: true });

function on(objects: readonly string[], rights: Rights, kind: Grant['kind'] = 'table'): Grant[] {
  const entries = Object.entries(rights) as [Grant['right'], Columns][];
  return objects.flatMap((on) => entries.map(([right, columns]) => ({ right, kind, on, ...columns })));
}

/** Imported and restored rows keep their numbers: the sequences are then moved beyond them. */
const sequences = ['campaigns', 'mirrors', 'access_keys', 'mirror_history', 'operator_audit'].map(
  (table) => `${table}_id_seq`,
);

const written = ['target_url', 'updated_externally', 'updated_externally_at', 'updated_at'];
const recorded = ['campaign_id', 'mirror_id', 'actor', 'access_key_id', 'subject', 'owner_id'];
const recordedToo = ['address_before', 'address_after', 'changed_at', 'request_id'];

/**
 * What each role may do, and nothing else. The owner's rights come with ownership. The service locks the campaign that
 * it judged by its right on `lock_anchor`, a column that cannot be changed. A redirector that counts has to read the
 * count and find the row.
 */
export const grants: Record<Exclude<Role, 'owner'>, readonly Grant[]> = {
  operator: [
    ...on(['campaigns'], { select: whole(), insert: whole(), update: whole(), delete: whole() }),
    ...on(['mirrors', 'access_keys'], { select: whole(), insert: whole(), update: whole() }),
    ...on(['mirror_history', 'operator_audit'], { select: whole(), insert: whole() }),
    ...on(['current_mirrors', 'migrations'], { select: whole() }),
    ...on(sequences, { usage: whole(), select: whole(), update: whole() }, 'sequence'),
    ...on(['prune_history'], { execute: whole() }, 'function'),
  ],
  service: [
    ...on(['campaigns'], { select: only('id', 'owner_id', 'is_default'), update: only('lock_anchor') }),
    ...on(['mirrors'], {
      select: whole('id', 'campaign_id', 'clicks', 'created_at', ...written),
      update: only(...written),
    }),
    ...on(['access_keys'], {
      select: only('id', 'hash', 'owner_id', 'expires_at', 'revoked_at', 'last_used_at'),
      update: only('last_used_at'),
    }),
    ...on(['mirror_history'], { insert: whole(...recorded, ...recordedToo) }),
    ...on(['migrations'], { select: only('name') }),
  ],
  redirector: [
    ...on(['current_mirrors'], { select: whole() }),
    ...on(['mirrors'], { select: only('campaign_id', 'clicks'), update: only('clicks') }),
  ],
};

/** As SQL. */
export function grantText({ right, kind, on, columns, isWhole }: Grant, role: string): string {
  const part = isWhole ? '' : ` (${columns.join(', ')})`;
  return `grant ${right}${part} on ${kind} ${schema}.${on} to ${role}`;
}
