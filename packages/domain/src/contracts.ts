export { brokenIdentities } from './contracts/broken-identities.ts';
export { brokenRepositories } from './contracts/broken-repositories.ts';
export { campaignRepositoryCases } from './contracts/campaign-repository-cases.ts';
export type { CampaignRepositoryWorld, KeyHolder, Others } from './contracts/campaign-repository-world.ts';
export { type Breakage, type Case, type Judgement, judge } from './contracts/case.ts';
export { ContractViolation, expectEqual } from './contracts/expectations.ts';
export { identityCases } from './contracts/identity-cases.ts';
export type { IdentityWorld, IssuedCredential } from './contracts/identity-world.ts';
