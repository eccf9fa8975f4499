import type { Database } from '@campaign-mirror/adapters-persistence';
import {
  type AccessKey,
  type CampaignId,
  type Label,
  label,
  mirrorAddress,
  noDeniedHosts,
  type OwnerId,
} from '@campaign-mirror/domain';
import type { Operator } from './command-database.ts';
import { administrationPorts } from './operator-ports.ts';

/** Far above the owner numbers that anybody starts with, so that its key opens no campaign of yours. */
const demonstrationOwners = [9_007_199_254_740_001 as OwnerId, 9_007_199_254_740_002 as OwnerId] as const;

/** How long its key lives, in seconds: 7 days. */
const keyLives = 7 * 24 * 60 * 60;

interface Demonstration {
  readonly key: AccessKey;
  readonly withMirror: CampaignId;
  readonly withoutMirror: CampaignId;
  readonly isDefault: CampaignId;
  readonly foreign: CampaignId;
}

/** Creates the demonstration set where the database has never held any data; otherwise undefined. */
export async function demonstrateWhereNothingIs(
  operator: Operator<Database>,
): Promise<Demonstration | undefined> {
  const { demonstration } = await administrationPorts(operator.database, operator.act);
  return (await demonstration.isPossible()) ? demonstrate(operator) : undefined;
}

/** Deletes its campaigns and revokes its key. Resolves with the number of campaigns. */
export async function removeDemonstration({ database, act }: Operator<Database>): Promise<number> {
  return (await administrationPorts(database, act)).demonstration.remove(demonstrationOwners);
}

/** Creates an owner with three campaigns and a key, and a campaign of another owner. */
async function demonstrate({ database, act }: Operator<Database>): Promise<Demonstration> {
  const { settings: campaigns, keys } = await administrationPorts(database, act);
  const [owner, stranger] = demonstrationOwners;
  const create = async (of: OwnerId, name: string, isDefault = false) =>
    (await campaigns.createCampaign({ owner: of, isDefault, name: named(`Demonstration: ${name}`) })).id;
  const withMirror = await create(owner, 'with a mirror');
  const withoutMirror = await create(owner, 'without a mirror');
  const isDefault = await create(owner, 'the default campaign', true);
  const foreign = await create(stranger, "another owner's");
  const address = mirrorAddress('https://first.example/', noDeniedHosts);
  if (typeof address !== 'string') throw new TypeError('the demonstration needs an acceptable address');
  for (const campaign of [withMirror, isDefault, foreign]) await campaigns.createMirror(campaign, address);
  const { key } = await keys.issue({ owner, name: named('Demonstration'), expiresIn: keyLives });
  return { key, withMirror, withoutMirror, isDefault, foreign };
}

function named(name: string): Label {
  const read = label(name);
  if (read === undefined) throw new TypeError('the demonstration needs acceptable names');
  return read;
}

/** Calls for a newcomer to try, with their answers. `base` is the address of the service: `http://host:port`. */
export function firstCalls(
  { key, withMirror, withoutMirror, isDefault, foreign }: Demonstration,
  base: string,
): string {
  const call = (campaign: number, address: string) =>
    `curl -sS -X POST ${base}/public/v1/mirror/campaign/${campaign}/mirror -H 'Authorization: Bearer ${key}' ` +
    `-H 'Content-Type: application/json' -d '{"mirror_endpoint":"${address}"}'`;
  const good = 'https://second.example/?click={click_id}';
  return `
A demonstration set was created. Its key expires in 7 days and is shown only here. This call answers 200:

${call(withMirror, good)}

403, because the campaign belongs to another owner (${foreign}), is the default one (${isDefault}), or has no mirror (${withoutMirror}):

${call(foreign, good)}

404, because the campaign does not exist:

${call(999_999_999, good)}

422, because that is not an address:

${call(withMirror, 'somewhere')}

./campaign-mirror demo remove   removes the demonstration set

`;
}
