import { randomUUID } from 'node:crypto';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { type Connection, MikroORM, type Options, type PostgreSqlConnection } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { entities } from '../schema/entities.ts';
import { migrations, schema } from '../schema/schema.ts';
import {
  type DatabaseAddress,
  defaultPoolLimits,
  type PoolLimits,
  poolOptions,
  preparePool,
} from './pool.ts';

/** MikroORM and its pool. Connections are made when first used; `close` ends them. */
export interface Database {
  readonly orm: MikroORM;
  readonly pool: Pool;
  /** Waits a second, or `timeout` milliseconds, for running statements, then ends them and resolves with false. */
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
    // A unique name: a `RequestContext` or transaction of the program's MikroORM does not replace our entity manager.
    contextName: `campaign-mirror ${randomUUID()}`,
    extensions: [Migrator],
    dbName: address.database ?? 'postgres',
    driverOptions: poolOptions(address, limits, applicationName),
    // Campaigns are locked and changed without their mirrors.
    autoJoinOneToOneOwner: false,
    // Otherwise MikroORM connects at once, and creates a missing database.
    ensureDatabase: false,
    // MikroORM's messages may contain values.
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
  // MikroORM ends the pool only if it has used it.
  const end = () => orm.close(true).then(() => (pool.ending ? undefined : pool.end()));
  return { orm, pool, close: preparePool(pool, end) };
}

/** Hides the MIKRO_ORM_* variables: they may be meant for the program's own MikroORM. */
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
