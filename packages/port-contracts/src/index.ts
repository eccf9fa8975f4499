export { type IdentityWorld, identityCases } from './cases/identity-cases.ts';
export { campaignRepositoryCases } from './cases/repository-cases.ts';
export type { CampaignRepositoryWorld, Others } from './cases/repository-world.ts';
export { type Case, ContractViolation, missing } from './kit/case.ts';
export type { Steps } from './kit/meanwhile.ts';
