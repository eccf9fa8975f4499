import { Migration, Migrator } from '@mikro-orm/migrations';
import { type Connection, MikroORM, type Options, type PostgreSqlConnection } from '@mikro-orm/postgresql';
import { entities } from '../schema/entities.ts';
import { migrations, schema } from '../schema/schema.ts';
import {
  closing,
  type DatabaseAddress,
  defaultPoolLimits,
  giveLostBack,
  type OpenPool,
  type PoolLimits,
  poolOptions,
  refuseUnreplicated,
} from './pool.ts';

/** MikroORM on its pool. */
export interface Database extends OpenPool {
  readonly orm: MikroORM;
}

/** In the form that the migrator expects. */
const migrationsList = Object.entries(migrations).map(([name, text]) => ({
  name,
  class: class extends Migration {
    override up(): void {
      this.addSql(text);
    }
  },
}));

/** Opens MikroORM and its pool; connections are made when first used. `applicationName` is what PostgreSQL shows. */
export async function openDatabase(
  address: DatabaseAddress,
  limits: PoolLimits = defaultPoolLimits,
  applicationName = 'campaign-mirror',
): Promise<Database> {
  const orm = ormOf({
    entities,
    extensions: [Migrator],
    dbName: address.database ?? 'postgres',
    driverOptions: poolOptions(address, limits, applicationName),
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
  const connection: Connection = orm.em.getConnection();
  const pool = await (connection as PostgreSqlConnection).getNativeClient();
  refuseUnreplicated(pool);
  giveLostBack(pool);
  return { orm, pool, close: closing(pool, () => orm.close(true)) };
}

/** MikroORM with these options only: it takes others from variables that may be meant for another ORM of the program. */
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
