import * as store from '@campaign-mirror/adapters-persistence/service';
import * as domain from '@campaign-mirror/domain';
import type { OperatorAct } from '@campaign-mirror/domain/operator';
import type { DatabaseAccess } from '../database/database-access.ts';
import type { ServiceInput } from '../wiring/tokens.ts';
import { asOperator } from './command-database.ts';

/** Far above the owner numbers that anybody starts with, so that the key of the first opens no campaign of yours. */
const owner = 9_007_199_254_740_001 as domain.OwnerId;
const stranger = 9_007_199_254_740_002 as domain.OwnerId;

/** How long the key of the set is valid, in seconds. */
const sevenDays = 7 * 24 * 60 * 60;

/**
 * Shows a newcomer what to call, on standard output, but not in the log, because the text contains a key. The
 * demonstration set is created if the database has never contained any data; otherwise the text says how to get a key.
 */
export async function greet(
  { settings, log, print }: ServiceInput,
  database: DatabaseAccess,
  base: string,
): Promise<void> {
  if (settings.DEMO === undefined ? !database.embedded : settings.DEMO !== 'on') return;
  try {
    const made = await asOperator(database, 'the service, at its start', {}, createDemonstration);
    print(made ? firstCalls(made, base) : laterCalls);
  } catch (error) {
    log.warn({ event: 'demonstration-failed', err: error }, 'the demonstration set could not be created');
  }
}

async function createDemonstration(database: store.Database, act: OperatorAct) {
  if (!(await store.isEmpty(database.pool))) return undefined;
  const campaigns = new store.PostgresSettings(database.orm, act);
  const address = domain.mirrorAddress.of('https://first.example/');
  const create = async (owner: domain.OwnerId, description: string, isDefault = false) => {
    const name = domain.label(`Demonstration: ${description}`) as domain.Label;
    return (await campaigns.createCampaign({ owner, isDefault, name })).id;
  };
  const withMirror = await create(owner, 'with a mirror');
  const withoutMirror = await create(owner, 'without a mirror');
  const isDefault = await create(owner, 'the default campaign', true);
  const foreign = await create(stranger, "another owner's");
  for (const campaign of [withMirror, isDefault, foreign]) await campaigns.createMirror(campaign, address);
  const keys = new store.PostgresAccessKeys(database.orm, act);
  const { key } = await keys.issue({
    owner,
    name: domain.label('Demonstration') as domain.Label,
    expiresIn: sevenDays,
  });
  return { key, withMirror, withoutMirror, isDefault, foreign };
}

/** What a start prints if the database contains data. */
const laterCalls = `
./campaign-mirror key issue --owner N --name NAME   makes a key for the owner N; the demonstration set has ${owner}

`;

type Demonstration = NonNullable<Awaited<ReturnType<typeof createDemonstration>>>;

/** Calls for a newcomer to try, with their answers. `base` is the address of the service: `http://host:port`. */
function firstCalls(made: Demonstration, base: string): string {
  const { key, withMirror, withoutMirror, isDefault, foreign } = made;
  const call = (campaign: number, address: string) =>
    `curl -sS -X POST ${base}/public/v1/mirror/campaign/${campaign}/mirror -H 'Authorization: Bearer ${key}' ` +
    `-H 'Content-Type: application/json' -d '{"mirror_endpoint":"${address}"}'`;
  const good = 'https://second.example/?click={click_id}';
  const refusing = `the campaign belongs to another owner (${foreign}), is the default one (${isDefault}), or has no mirror (${withoutMirror})`;
  const calls = [
    [
      'The key of the demonstration set expires in 7 days and is shown only here. This call answers 200',
      call(withMirror, good),
    ],
    [`403, because ${refusing}`, call(foreign, good)],
    ['404, because the campaign does not exist', call(999_999_999, good)],
    ['422, because that is not an address', call(withMirror, 'somewhere')],
  ];
  return `\n${calls.map(([what, line]) => `${what}:\n\n${line}\n\n`).join('')}`;
}
