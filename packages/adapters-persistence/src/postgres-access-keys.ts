import { randomBytes } from 'node:crypto';
import {
  type AccessKey,
  type AccessKeyId,
  type AccessKeys,
  accessKeyBytes,
  accessKeyFrom,
  displayedPart,
  type NewAccessKey,
} from '@campaign-mirror/domain';
import { type MikroORM, raw } from '@mikro-orm/postgresql';
import { AccessKeyEntity } from './entities.ts';
import { keyHash } from './key-hash.ts';
import { ormFault } from './orm-faults.ts';

/** Access keys as the operator issues and revokes them, in PostgreSQL. */
export class PostgresAccessKeys implements AccessKeys {
  readonly #orm: MikroORM;

  constructor(orm: MikroORM) {
    this.#orm = orm;
  }

  async issue({ owner, name, expiresIn }: NewAccessKey): Promise<{ id: AccessKeyId; key: AccessKey }> {
    const key = accessKeyFrom(randomBytes(accessKeyBytes));
    const fields = { hash: keyHash(key), displayed: displayedPart(key), name, ownerId: owner };
    const expires = expiresIn === undefined ? {} : { expiresAt: inSeconds(expiresIn) };
    try {
      const id = await this.#orm.em.fork().insert(AccessKeyEntity, { ...fields, ...expires });
      return { id: Number(id) as AccessKeyId, key };
    } catch (error) {
      throw ormFault(error);
    }
  }

  async revoke(id: AccessKeyId): Promise<boolean> {
    const em = this.#orm.em.fork();
    try {
      const revoked = { revokedAt: raw<string>('coalesce(revoked_at, clock_timestamp())') };
      return (await em.nativeUpdate(AccessKeyEntity, { id }, revoked)) > 0;
    } catch (error) {
      throw ormFault(error);
    }
  }
}

/** By the database's clock, which judges the expiry too. */
function inSeconds(seconds: number) {
  return raw<string>('clock_timestamp() + make_interval(secs => ?)', [seconds]);
}
