import { randomUUID } from 'node:crypto';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { type Connection, MikroORM, type Options, type PostgreSqlConnection } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { entities } from '../schema/entities.ts';
import { migrations, schema } from '../schema/schema.ts';
import { closing, type DatabaseAddress, defaultPoolLimits, type PoolLimits, poolOptions } from './pool.ts';

/** MikroORM, and its pool, which all else uses. Connections are made when first used; `close` ends them. */
export interface Database {
  readonly orm: MikroORM;
  readonly pool: Pool;
  /** Running statements are cut off after a second, or `timeout` milliseconds. False if any was cut off. */
  close(timeout?: number): Promise<boolean>;
}

const migrationsList = Object.entries(migrations).map(([name, text]) => ({
  name,
  class: class extends Migration {
    override up(): void {
      this.addSql(text);
    }
  },
}));

/** Opens MikroORM on a pool with these limits. `applicationName` is what PostgreSQL shows. */
export async function openDatabase(
  address: DatabaseAddress,
  limits: PoolLimits = defaultPoolLimits,
  applicationName = 'campaign-mirror',
): Promise<Database> {
  const orm = ormOf({
    entities,
    // Within a `RequestContext` or a transaction of another MikroORM of this name, our manager would be the other's.
    contextName: `campaign-mirror ${randomUUID()}`,
    extensions: [Migrator],
    dbName: address.database ?? 'postgres',
    driverOptions: poolOptions(address, limits, applicationName),
    // A campaign alone is locked and changed without its mirror, which is joined where it is asked for.
    autoJoinOneToOneOwner: false,
    // Otherwise it connects at once, and creates the database if it is missing.
    ensureDatabase: false,
    // Its messages may contain interpolated values. Faults reach the caller as exceptions.
    logger: () => {},
    migrations: {
      tableName: `${schema}.migrations`,
      migrationsList,
      snapshot: false,
      disableForeignKeys: false,
      silent: true,
    },
  });
  const pool = await (orm.em.getConnection() as Connection as PostgreSqlConnection).getNativeClient();
  // MikroORM ends only a pool that it has used itself.
  const end = () => orm.close(true).then(() => (pool.ending ? undefined : pool.end()));
  return { orm, pool, close: closing(pool, end) };
}

/** Only these options: MikroORM takes others from variables that may be meant for another ORM of the program. */
function ormOf(options: Options): MikroORM {
  // biome-ignore lint/style/noRestrictedGlobals: MikroORM reads it
  const { env } = process;
  const variables = Object.entries(env).filter(([name]) => name.startsWith('MIKRO_ORM_'));
  for (const [name] of variables) delete env[name];
  try {
    return new MikroORM(options);
  } finally {
    Object.assign(env, Object.fromEntries(variables));
  }
}
