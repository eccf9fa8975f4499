import type { Campaign, CampaignId, Mirror, MirrorChange, OwnerId } from '@campaign-mirror/domain';
import { type HotPath, isValid, type KeyRow, keyColumns } from './hot-path.ts';
import { mirrorSetTo, type SetMirrorRow, safeInteger } from './mirror-row.ts';
import { settingMirror } from './set-mirror-text.ts';
import type { Statement, Statements } from './statements.ts';

const whoIs: Statement = {
  name: 'who-is',
  text: `select ${keyColumns} from campaign_mirror.access_keys where hash = $1 and ${isValid}`,
};

const find: Statement = {
  name: 'find-campaign',
  text: `
    select owner_id, is_default,
      exists (select from campaign_mirror.mirrors where campaign_id = campaigns.id) as has_mirror
    from campaign_mirror.campaigns where id = $1`,
};

const byKey = { actor: "'key'", accessKeyId: '$5::bigint', requestId: '$6' };

export const setMirrorText = settingMirror(byKey);

const waiting: Statement = { name: 'set-mirror', rowMode: 'array', text: setMirrorText };
const passingOver: Statement = {
  name: 'set-mirror-unless-locked',
  rowMode: 'array',
  text: settingMirror({ ...byKey, skipLocked: true }),
};

/** Each call by a statement of its own. */
export class SingleStatements implements HotPath {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  async key(hash: Buffer): Promise<KeyRow | undefined> {
    const [row] = await this.#statements.run<KeyRow>(whoIs, [hash]);
    return row;
  }

  async campaign(id: CampaignId): Promise<Campaign | undefined> {
    type Row = { owner_id: string; is_default: boolean; has_mirror: boolean };
    const [row] = await this.#statements.run<Row>(find, [id]);
    if (!row) return undefined;
    const ownerId = safeInteger(row.owner_id) as OwnerId;
    return { id, ownerId, isDefault: row.is_default, hasMirror: row.has_mirror };
  }

  /** Waits for whoever holds the campaign or its mirror. */
  set(seen: Campaign, change: MirrorChange): Promise<Mirror | undefined> {
    return this.#run(waiting, seen, change);
  }

  /** Waits for nobody: undefined, too, where the campaign or its mirror is held. */
  setUnlessLocked(seen: Campaign, change: MirrorChange): Promise<Mirror | undefined> {
    return this.#run(passingOver, seen, change);
  }

  async #run(
    statement: Statement,
    seen: Campaign,
    { address, by, requestId }: MirrorChange,
  ): Promise<Mirror | undefined> {
    const values = [seen.id, seen.ownerId, seen.isDefault, address, by.accessKeyId, requestId];
    const [row] = await this.#statements.run<SetMirrorRow>(statement, values);
    return row && mirrorSetTo(seen.id, address, row);
  }
}
