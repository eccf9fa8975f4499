import { randomBytes } from 'node:crypto';
import {
  type AccessKey,
  type AccessKeyId,
  type AccessKeys,
  accessKeyBytes,
  accessKeyFrom,
  displayedPart,
  type NewAccessKey,
  type OperatorAct,
} from '@campaign-mirror/domain';
import { type MikroORM, raw } from '@mikro-orm/postgresql';
import { audited } from './audited.ts';
import { AccessKeyEntity } from './entities.ts';
import { keyHash } from './key-hash.ts';

/** Access keys as the operator issues and revokes them, in PostgreSQL. */
export class PostgresAccessKeys implements AccessKeys {
  readonly #orm: MikroORM;
  readonly #act: OperatorAct;

  constructor(orm: MikroORM, act: OperatorAct) {
    this.#orm = orm;
    this.#act = act;
  }

  async issue({ owner, name, expiresIn }: NewAccessKey): Promise<{ id: AccessKeyId; key: AccessKey }> {
    const key = accessKeyFrom(randomBytes(accessKeyBytes));
    const fields = { hash: keyHash(key), displayed: displayedPart(key), name, ownerId: owner };
    const expires = expiresIn === undefined ? {} : { expiresAt: inSeconds(expiresIn) };
    return audited(this.#orm, this.#act, async (em, note) => {
      const id = Number(await em.insert(AccessKeyEntity, { ...fields, ...expires })) as AccessKeyId;
      await note({ act: 'key-issued', accessKeyId: id, ownerId: owner, details: { name } });
      return { id, key };
    });
  }

  async revoke(id: AccessKeyId): Promise<boolean> {
    return audited(this.#orm, this.#act, async (em, note) => {
      const revokedAt = raw<string>('clock_timestamp()');
      const revoked = await em.nativeUpdate(AccessKeyEntity, { id, revokedAt: null }, { revokedAt });
      if (revoked === 0) return (await em.count(AccessKeyEntity, { id })) > 0;
      await note({ act: 'key-revoked', accessKeyId: id });
      return true;
    });
  }
}

/** By the database's clock, which judges the expiry too. */
function inSeconds(seconds: number) {
  return raw<string>('clock_timestamp() + make_interval(secs => ?)', [seconds]);
}
