import {
  type AccessKey,
  type AccessKeyId,
  type AccessKeyPage,
  type AccessKeyRecord,
  type AccessKeys,
  type KeyRotation,
  type NewAccessKey,
  type OwnerId,
  type Timestamp,
  usualKeyLife,
} from '@campaign-mirror/domain';
import { raw, wrap } from '@mikro-orm/postgresql';
import { AuditedAdapter, ormFault } from '../connection/audited.ts';
import { safeInteger } from '../connection/rows.ts';
import { AccessKeyEntity } from '../schema/entities.ts';
import { newKey } from '../schema/key-hash.ts';
import { rotateKey } from './key-rotation.ts';

const revoke = `
  update campaign_mirror.access_keys set revoked_at = clock_timestamp()
  where id = ? and revoked_at is null returning owner_id`;

/** Access keys as the operator issues, rotates and revokes them, in PostgreSQL. */
export class PostgresAccessKeys extends AuditedAdapter implements AccessKeys {
  async issue(asked: NewAccessKey): Promise<{ id: AccessKeyId; key: AccessKey }> {
    const { owner, name, expiresIn = usualKeyLife } = asked;
    const { key, ...stored } = newKey();
    const fields = { ...stored, name, ownerId: owner };
    const expires = expiresIn === 'never' ? {} : { createdAt: inSeconds(0), expiresAt: inSeconds(expiresIn) };
    return this.audited(async (em, note) => {
      const id = Number(await em.insert(AccessKeyEntity, { ...fields, ...expires })) as AccessKeyId;
      await note({ act: 'key-issued', accessKeyId: id, ownerId: owner, details: { name } });
      return { id, key };
    });
  }

  async list({ owner, after, limit }: AccessKeyPage): Promise<AccessKeyRecord[]> {
    const where = {
      ...(owner !== undefined && { ownerId: owner }),
      ...(after !== undefined && { id: { $gt: after } }),
    };
    try {
      const options = { exclude: ['hash' as const], orderBy: { id: 'asc' as const }, limit };
      const rows = await this.orm.em.fork().find(AccessKeyEntity, where, options);
      return rows.map((row) => wrap(row).toObject() as AccessKeyRecord);
    } catch (error) {
      throw ormFault(error);
    }
  }

  async rotate(id: AccessKeyId, { grace }: { grace: number }): Promise<KeyRotation> {
    return this.audited((em, note) => rotateKey(em, note, id, grace));
  }

  async revoke(id: AccessKeyId): Promise<boolean> {
    return this.audited(async (em, note) => {
      const [revoked] = await em.execute<{ owner_id: string }[]>(revoke, [id]);
      if (!revoked) return (await em.count(AccessKeyEntity, { id })) > 0;
      const ownerId = safeInteger(revoked.owner_id) as OwnerId;
      await note({ act: 'key-revoked', accessKeyId: id, ownerId });
      return true;
    });
  }
}

/**
 * By the database's clock, which also decides the expiry. All of a statement count from the same moment, since a
 * successor gets the difference as its life.
 */
function inSeconds(seconds: number) {
  return raw<Timestamp>('statement_timestamp() + make_interval(secs => ?)', [seconds]);
}
