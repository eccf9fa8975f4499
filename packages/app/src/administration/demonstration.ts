import * as store from '@campaign-mirror/adapters-persistence/service';
import * as domain from '@campaign-mirror/domain';
import type { OperatorAct } from '@campaign-mirror/domain/operator';
import type { DatabaseAccess } from '../database/database-access.ts';
import type { ServiceInput } from '../process/life.ts';
import { asOperator } from './operator-database.ts';

/** Far above the numbers of real owners: the key of the demonstration must not change your mirrors. */
const owner = 9_007_199_254_740_001 as domain.OwnerId;
const stranger = 9_007_199_254_740_002 as domain.OwnerId;

/** Prints calls to try, outside the log, because they contain a key. Creates the demonstration in an empty database. */
export async function greet(
  { settings, log, print }: ServiceInput,
  access: DatabaseAccess,
  base: string,
): Promise<void> {
  if (settings.DEMO === undefined ? !access.embedded : settings.DEMO !== 'on') return;
  try {
    const greeting = (database: store.Database, act: OperatorAct) => greetingOf(database, act, base);
    print(await asOperator(access, 'the service, at its start', greeting));
  } catch (error) {
    log.warn({ event: 'demonstration-failed', err: error }, 'the demonstration set could not be created');
  }
}

async function greetingOf({ orm, pool }: store.Database, act: OperatorAct, base: string): Promise<string> {
  const issue = './campaign-mirror key issue --owner N --name NAME';
  if (!(await store.isEmpty(pool)))
    return `\n${issue}   makes a key for the owner N; the demonstration set has ${owner}\n\n`;
  const campaigns = new store.PostgresSettings(orm, act);
  const create = async (owner: domain.OwnerId, description: string, isDefault = false) => {
    const name = domain.label(`Demonstration: ${description}`) as domain.Label;
    return (await campaigns.createCampaign({ owner, isDefault, name })).id;
  };
  const withMirror = await create(owner, 'with a mirror');
  const withoutMirror = await create(owner, 'without a mirror');
  const isDefault = await create(owner, 'the default campaign', true);
  const foreign = await create(stranger, "another owner's");
  const address = domain.mirrorAddress.of('https://first.example/');
  for (const campaign of [withMirror, isDefault, foreign]) await campaigns.createMirror(campaign, address);
  const keys = new store.PostgresAccessKeys(orm, act);
  const name = domain.label('Demonstration') as domain.Label;
  const { key } = await keys.issue({ owner, name, expiresIn: 7 * 24 * 60 * 60 });

  const call = (campaign: number, endpoint = 'https://second.example/?click={click_id}') =>
    `curl -sS -X POST ${base}/public/v1/mirror/campaign/${campaign}/mirror -H 'Authorization: Bearer ${key}' ` +
    `-H 'Content-Type: application/json' -d '{"mirror_endpoint":"${endpoint}"}'`;
  const calls = [
    [
      'The key of the demonstration set expires in 7 days and is shown only here. This call answers 200',
      call(withMirror),
    ],
    [
      `403, because the campaign belongs to another owner (${foreign}), is the default one (${isDefault}), or has no ` +
        `mirror (${withoutMirror})`,
      call(foreign),
    ],
    ['404, because the campaign does not exist', call(999_999_999)],
    ['422, because that is not an address', call(withMirror, 'somewhere')],
  ];
  return `\n${calls.map(([answer, line]) => `${answer}:\n\n${line}\n\n`).join('')}`;
}
