import { randomUUID } from 'node:crypto';
import {
  type Database,
  migrate,
  openDatabase,
  PostgresSettings,
  schema,
} from '@campaign-mirror/adapters-persistence';
import type { CampaignId, MirrorAddress, OwnerId } from '@campaign-mirror/domain';
import { defineEntity, MikroORM, p } from '@mikro-orm/postgresql';

/** An entity of the application on Campaign Mirror's view: the current address of a campaign. */
export const CurrentMirror = defineEntity({
  name: 'CurrentMirror',
  schema,
  tableName: 'current_mirrors',
  properties: { campaignId: p.bigint('number').primary(), targetUrl: p.text() },
});

/** An advert of the application, for a campaign of Campaign Mirror. */
export const Advert = defineEntity({
  name: 'Advert',
  tableName: 'adverts',
  properties: {
    id: p.integer().primary(),
    title: p.text(),
    // A foreign key cannot refer to a view.
    mirror: () => p.manyToOne(CurrentMirror).fieldName('campaign_id').createForeignKeyConstraint(false),
  },
});

export interface Opened {
  readonly store: Database;
  readonly orm: MikroORM;
}

/** Campaign Mirror's store and the application's MikroORM, in one database. */
export async function openBeside(clientUrl: string): Promise<Opened> {
  const url = new URL(clientUrl);
  const address = {
    host: url.hostname,
    port: Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
  };
  await migrate(address);
  const orm = new MikroORM({
    clientUrl,
    entities: [Advert, CurrentMirror],
    // Otherwise the application's next migration would drop Campaign Mirror's schema.
    schemaGenerator: { ignoreSchema: [schema], skipTables: [`${schema}.current_mirrors`] },
    ensureDatabase: false,
  });
  return { store: await openDatabase(address), orm };
}

/** Creates a campaign, then its advert, in two transactions. A campaign without an advert has no visitors. */
export async function advertise(
  { store, orm }: Opened,
  title: string,
  { owner, address }: { owner: OwnerId; address: MirrorAddress },
): Promise<CampaignId> {
  const settings = new PostgresSettings(store.orm, { operator: 'adverts', requestId: randomUUID() });
  const made = await settings.createCampaign({ owner, isDefault: false });
  if (made.kind !== 'created') throw new Error(made.kind);
  await settings.createMirror(made.id, address);
  const em = orm.em.fork();
  em.create(Advert, { title, mirror: made.id });
  await em.flush();
  return made.id;
}
