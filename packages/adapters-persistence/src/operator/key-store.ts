import { randomBytes } from 'node:crypto';
import * as domain from '@campaign-mirror/domain';
import * as operator from '@campaign-mirror/domain/operator';
import { LockMode, raw, wrap } from '@mikro-orm/postgresql';
import { arrayText, safeInteger } from '../connection/rows.ts';
import { AuditedAdapter, readSnapshot } from '../connection/transaction.ts';
import { AccessKeyEntity } from '../schema/entities.ts';
import { isExpiringWithin, keyHash, timestampText } from '../schema/stored-values.ts';

function newKey() {
  const key = domain.accessKeyFrom(randomBytes(32));
  return { key, hash: keyHash(key), displayed: key.slice(0, 10) };
}

/** The successor of a valid key gets the same lifetime in seconds: days vary in length. Infinity means no expiry. */
const insertSuccessor = `
  with timed as materialized (select clock_timestamp() as now)
  insert into campaign_mirror.access_keys (hash, displayed, name, owner_id, hosts, created_at, expires_at)
  select ?, ?, name, owner_id, coalesce(?, hosts), now, case when isfinite(expires_at) then least(
    '9999-12-31 23:59:59.999999Z', now + make_interval(secs => extract(epoch from expires_at - created_at)::float8)) end
  from campaign_mirror.access_keys, timed where id = ? and (expires_at is null or expires_at > now)
  returning id`;

/** `least` ignores the null of a key without expiry. */
const expireOldKey = `
  update campaign_mirror.access_keys
  set expires_at = least(expires_at, clock_timestamp() + make_interval(secs => ?)), replaced_by = ?
  where id = ? returning ${timestampText('expires_at')} as expires_at`;

const isExpiring = isExpiringWithin('make_interval(secs => ?)');
const isLimited = `hosts is not null and revoked_at is null and replaced_by is null
  and coalesce(expires_at, 'infinity') > now()`;

/** Revoked or rotated since a time. Only the audit has the time of a rotation. */
const isEndedSince = `(revoked_at >= ?::timestamptz or id in (
  select access_key_id from campaign_mirror.operator_audit where act = 'key-rotated' and acted_at >= ?::timestamptz))`;

/** The time in this number of seconds, exactly: the clock stands still within a statement. */
const inSeconds = (seconds: number) =>
  raw<domain.Timestamp>('statement_timestamp() + make_interval(secs => ?)', [seconds]);

/** The port `AccessKeys` on PostgreSQL, for one act. */
export class PostgresAccessKeys extends AuditedAdapter implements operator.AccessKeys {
  async issue(request: operator.NewAccessKey): Promise<{ id: domain.AccessKeyId; key: domain.AccessKey }> {
    const { owner, name, hosts = null, expiresIn = operator.defaultKeyLifetime } = request;
    const { key, ...stored } = newKey();
    const fields = { ...stored, name, ownerId: owner, hosts: hosts && [...hosts] };
    const expires = expiresIn === 'never' ? {} : { createdAt: inSeconds(0), expiresAt: inSeconds(expiresIn) };
    const id = await this.audited((em) => em.insert(AccessKeyEntity, { ...fields, ...expires }));
    return { id: Number(id) as domain.AccessKeyId, key };
  }

  async list(page: operator.AccessKeyQuery): Promise<operator.AccessKeyRecord[]> {
    const { owner, expiring, revokedSince, limited, after = 0 as domain.AccessKeyId, limit } = page;
    const where = {
      id: { $gt: after },
      ...(owner !== undefined && { ownerId: owner }),
      ...(revokedSince !== undefined && { [raw(isEndedSince, [revokedSince, revokedSince])]: [] }),
      ...(expiring !== undefined && { [raw(isExpiring, [expiring])]: [] }),
      ...(limited && { [raw(isLimited)]: [] }),
    };
    const options = { orderBy: { id: 'asc' as const }, limit };
    const rows = await readSnapshot(this.orm, (em) => em.find(AccessKeyEntity, where, options));
    return rows.map((row) => wrap(row).toObject() as operator.AccessKeyRecord);
  }

  rotate(id: domain.AccessKeyId, grace: number, hosts?: readonly string[]): Promise<operator.KeyRotation> {
    return this.audited(async (em) => {
      // Of two simultaneous rotations, the second sees the result of the first.
      const old = await em.findOne(AccessKeyEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!old) return { kind: 'key-not-found' };
      if (old.revokedAt) return { kind: 'key-revoked' };
      if (old.replacedBy) return { kind: 'key-replaced', by: old.replacedBy };

      const { ownerId } = old;
      const { key, hash, displayed } = newKey();
      const values = [hash, displayed, hosts ? arrayText(hosts) : null, id];
      const [successor] = await em.execute<{ id: string }[]>(insertSuccessor, values);
      if (!successor) return { kind: 'key-expired' };
      const next = safeInteger(successor.id) as domain.AccessKeyId;
      // The trigger adds this to the next audit entry.
      await em.execute("select set_config('campaign_mirror.details', ?, true)", [JSON.stringify({ grace })]);
      const [expired] = await em.execute<[{ expires_at: domain.Timestamp }]>(expireOldKey, [grace, next, id]);
      return { kind: 'rotated', id: next, key, ownerId, oldExpiresAt: expired.expires_at };
    });
  }

  revoke(keys: Parameters<operator.AccessKeys['revoke']>[0]): Promise<domain.AccessKeyId[]> {
    const owned = 'owner' in keys && keys.owner !== 'any' && { ownerId: keys.owner };
    const where = 'ids' in keys ? { id: { $in: [...keys.ids] } } : { revokedAt: null, ...owned };
    return this.audited(async (em) => {
      // The order of locks prevents deadlocks of two revocations.
      const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, disableIdentityMap: true } as const;
      const options = { ...locked, fields: ['id'], orderBy: { id: 'asc' } } as const;
      const ids = (await em.find(AccessKeyEntity, where, options)).map(({ id }) => id);
      const revokedAt = raw<domain.Timestamp>('clock_timestamp()');
      await em.nativeUpdate(AccessKeyEntity, { id: { $in: ids }, revokedAt: null }, { revokedAt });
      return ids;
    });
  }
}
