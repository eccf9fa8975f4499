export { InMemoryCampaigns } from './campaigns.ts';
export { InMemoryIdentity } from './identity.ts';
export { InMemoryStore, type StoredAccessKey } from './store.ts';
