import { randomBytes } from 'node:crypto';
import {
  type AccessKeyId,
  accessKeyBytes,
  accessKeyFrom,
  type CampaignId,
  displayedPart,
} from '@campaign-mirror/domain';
import { keyHash } from '../../../packages/adapters-persistence/src/schema/key-hash.ts';
import { freshDatabase, type TestDatabase } from '../database/database-server.ts';
import { postgresWorld } from '../store/postgres-world.ts';
import { before as addressBefore, newOwner, type World } from '../store/world.ts';

/** A database of its own, with what a caller of the service has and has not. */
export interface HttpData {
  readonly database: TestDatabase;
  readonly world: World;
  readonly owner: number;
  readonly keys: Record<'valid' | 'expired' | 'revoked' | 'unknown', string>;
  readonly validKeyId: AccessKeyId;
  readonly campaigns: Record<keyof typeof kinds, CampaignId>;
}

/** `own` is the one that the valid key may set; of the others each breaks the rules that its name says. */
const kinds = {
  own: {},
  default: { isDefault: true },
  foreign: { foreign: true },
  withoutMirror: { mirror: false },
  foreignDefault: { foreign: true, isDefault: true },
  foreignWithoutMirror: { foreign: true, mirror: false },
  foreignDefaultWithoutMirror: { foreign: true, isDefault: true, mirror: false },
} satisfies Record<string, { foreign?: boolean; isDefault?: boolean; mirror?: boolean }>;

const insertCampaign = `
  with campaign as (
    insert into campaign_mirror.campaigns (owner_id, is_default) values ($1, $2) returning id
  ), mirror as (
    insert into campaign_mirror.mirrors (campaign_id, target_url) select id, $4 from campaign where $3
  )
  select id from campaign`;
const insertKey = `
  insert into campaign_mirror.access_keys (hash, displayed, name, owner_id, expires_at, revoked_at)
  values ($1, $2, $3, $4, case $3 when 'expired' then now() end, case $3 when 'revoked' then now() end)
  returning id`;

/** By statements of its own: the operator's ports, which have their tests elsewhere, would take most of a file's time. */
export async function httpData(): Promise<HttpData> {
  const database = await freshDatabase();
  const world = await postgresWorld(database);
  const owner = newOwner();
  const insert = async (text: string, ...values: unknown[]) =>
    Number((await database.admin.query(text, values)).rows[0].id);
  const keys: Record<string, string> = { unknown: accessKeyFrom(new Uint8Array(accessKeyBytes).fill(7)) };
  const ids: Record<string, number> = {};
  for (const name of ['valid', 'expired', 'revoked']) {
    const key = accessKeyFrom(randomBytes(accessKeyBytes));
    ids[name] = await insert(insertKey, keyHash(key), displayedPart(key), name, owner);
    keys[name] = key;
  }
  const campaigns: Record<string, number> = {};
  for (const [kind, how] of Object.entries(kinds)) {
    const { foreign, isDefault, mirror } = { foreign: false, isDefault: false, mirror: true, ...how };
    const whose = foreign ? newOwner() : owner;
    campaigns[kind] = await insert(insertCampaign, whose, isDefault, mirror, addressBefore);
  }
  return {
    database,
    world,
    owner,
    keys: keys as HttpData['keys'],
    validKeyId: ids.valid as AccessKeyId,
    campaigns: campaigns as HttpData['campaigns'],
  };
}
