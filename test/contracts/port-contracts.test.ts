import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { inMemoryWorld } from '../support/store/in-memory-world.ts';
import { type Company, postgresWorld } from '../support/store/postgres-world.ts';
import type { Check, World } from '../support/store/world.ts';
import { accessKeysContract } from './access-keys-contract.ts';
import { auditContract } from './audit-contract.ts';
import { campaignExportContract } from './campaign-export-contract.ts';
import { campaignImportContract } from './campaign-import-contract.ts';
import { campaignRecordsContract } from './campaign-records-contract.ts';
import { campaignRepositoryContract } from './campaign-repository-contract.ts';
import { campaignSettingsContract } from './campaign-settings-contract.ts';
import { historyPruningContract } from './history-pruning-contract.ts';
import { identityContract } from './identity-contract.ts';
import { mirrorHistoryContract } from './mirror-history-contract.ts';
import { mirrorMovesContract } from './mirror-moves-contract.ts';
import { operatorMirrorsContract } from './operator-mirrors-contract.ts';

const contracts: Record<string, readonly Check[]> = {
  CampaignRepository: campaignRepositoryContract,
  CampaignSettings: campaignSettingsContract,
  CampaignRecords: campaignRecordsContract,
  CampaignImport: campaignImportContract,
  CampaignExport: campaignExportContract,
  Audit: auditContract,
  Identity: identityContract,
  AccessKeys: accessKeysContract,
  MirrorHistory: mirrorHistoryContract,
  OperatorMirrors: operatorMirrorsContract,
  MirrorMoves: mirrorMovesContract,
  HistoryPruning: historyPruningContract,
};

describe('the contracts of the ports, in memory', () => {
  let world: World;
  before(() => {
    world = inMemoryWorld();
  });
  after(() => world.close());
  everyCheck(() => world);
});

describe('the contracts of the ports, in PostgreSQL', () => everyCheck(inPostgres()));

for (const company of ['in company', 'beside a chain'] as const) {
  describe(`the contracts of the hot path's ports, in PostgreSQL, ${company}`, () =>
    everyCheck(inPostgres(company), ['CampaignRepository', 'Identity']));
}

function inPostgres(company?: Company): () => World {
  let database: TestDatabase;
  let world: World;
  before(async () => {
    database = await freshDatabase();
    // Sessions as other people set them up: what leaves the database is UTC in ISO 8601 all the same.
    await database.admin.query(`alter database ${database.name} set timezone = 'America/St_Johns'`);
    await database.admin.query(`alter database ${database.name} set datestyle = 'SQL, DMY'`);
    // What is promised in an order is in that order by whatever plan.
    await database.admin.query(`alter database ${database.name} set enable_nestloop = off`);
    await database.admin.query(`alter database ${database.name} set enable_mergejoin = off`);
    world = await postgresWorld(database, company && { company });
  });
  after(async () => {
    await world.close();
    await database.drop();
  });
  return () => world;
}

function everyCheck(world: () => World, ports = Object.keys(contracts)): void {
  for (const port of ports) {
    describe(port, () => {
      for (const { name, check } of contracts[port] ?? []) it(name, () => check(world()));
    });
  }
}
