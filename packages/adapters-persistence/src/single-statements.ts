import type { Campaign, CampaignId, Mirror, MirrorChange } from '@campaign-mirror/domain';
import {
  type CampaignColumns,
  campaignColumns,
  campaignIn,
  type HotPath,
  isValid,
  type KeyColumns,
  keyColumns,
  keyIn,
  type ValidKey,
} from './hot-path.ts';
import { mirrorSetTo, type SetMirrorRow } from './mirror-row.ts';
import { settingMirror } from './set-mirror-text.ts';
import type { Statement, Statements } from './statements.ts';

const whoIs: Statement = {
  name: 'who-is',
  text: `select ${keyColumns} from campaign_mirror.access_keys where hash = $1 and ${isValid}`,
};

const find: Statement = {
  name: 'find-campaign',
  text: `select ${campaignColumns('campaigns.id')} from campaign_mirror.campaigns where id = $1`,
};

const byKey = { actor: "'key'", accessKeyId: '$5::bigint', requestId: '$6' };

export const setMirrorText = settingMirror(byKey);

const waiting: Statement = { name: 'set-mirror', text: setMirrorText };
const passingOver: Statement = {
  name: 'set-mirror-unless-locked',
  text: settingMirror({ ...byKey, skipLocked: true }),
};

/** Each call by a statement of its own. */
export class SingleStatements implements HotPath {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  async key(hash: Buffer): Promise<ValidKey | undefined> {
    const [row] = await this.#statements.run<KeyColumns>(whoIs, [hash]);
    return row && keyIn(row);
  }

  async campaign(id: CampaignId): Promise<Campaign | undefined> {
    const [row] = await this.#statements.run<CampaignColumns>(find, [id]);
    return row && campaignIn(id, row);
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
