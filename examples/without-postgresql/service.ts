import {
  InMemoryCampaigns,
  InMemoryIdentity,
  InMemoryStore,
} from '@campaign-mirror/adapters-persistence/in-memory';
import { runService, tokens } from '@campaign-mirror/app';
import { ContainerModule } from 'inversify';

const store = new InMemoryStore();
const owner = 7;
const campaign = store.createCampaign(owner);
store.createMirror(campaign, 'https://first.example/');
console.error(JSON.stringify({ campaign, key: store.issueKey(owner).key }));

/** Exchanges both ports of the use case, so that PostgreSQL is not used. Yours would be on a store that lasts. */
const inMemory = new ContainerModule(({ rebind }) => {
  rebind(tokens.campaignRepository).toConstantValue(new InMemoryCampaigns(store));
  rebind(tokens.identity).toConstantValue(new InMemoryIdentity(store));
});
process.exit(await runService(process.env, { modules: [inMemory] }));
