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
  readonly keys: Record<StoredKey | 'unknown', string>;
  readonly validKeyId: AccessKeyId;
  readonly campaigns: Record<CampaignKind, CampaignId>;
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
type CampaignKind = keyof typeof kinds;
type StoredKey = 'valid' | 'expired' | 'revoked';

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
  const issue = async (name: StoredKey) => {
    const key = accessKeyFrom(randomBytes(accessKeyBytes));
    return { key, id: await insert(insertKey, keyHash(key), displayedPart(key), name, owner) };
  };
  const [valid, expired, revoked] = [await issue('valid'), await issue('expired'), await issue('revoked')];
  const campaigns: Partial<Record<string, CampaignId>> = {};
  for (const [kind, how] of Object.entries(kinds)) {
    const { foreign, isDefault, mirror } = { foreign: false, isDefault: false, mirror: true, ...how };
    const whose = foreign ? newOwner() : owner;
    campaigns[kind] = (await insert(insertCampaign, whose, isDefault, mirror, addressBefore)) as CampaignId;
  }
  return {
    database,
    world,
    keys: {
      valid: valid.key,
      unknown: accessKeyFrom(new Uint8Array(accessKeyBytes).fill(7)),
      expired: expired.key,
      revoked: revoked.key,
    },
    validKeyId: valid.id as AccessKeyId,
    campaigns: campaigns as HttpData['campaigns'],
  };
}
