import {
  type AccessKeyId,
  authorizationRules,
  type Caller,
  type Campaign,
  type CampaignId,
  type OperatorRefusal,
  type OwnerId,
  operatorRefusalOf,
  type Refusal,
  refusalOf,
} from '@campaign-mirror/domain';
import { expect } from 'chai';

/** Section 1 of the specification, as it is written there. */
const specification = `
1. The mirror must already have been created in the campaign settings before it can be updated through this interface.
2. The mirror of the default campaign cannot be updated.
3. Only the owner of the campaign may update its mirror.
`;

const caller: Caller = { ownerId: 1 as OwnerId, accessKeyId: 1 as AccessKeyId };
const free: Campaign = { id: 1 as CampaignId, ownerId: caller.ownerId, isDefault: false, hasMirror: true };
const foreign = 2 as OwnerId;

describe('specification, section 1 — the rules', () => {
  it('are those of the specification, in its order and words', () => {
    const written = authorizationRules.map(({ rule }, at) => `${at + 1}. ${rule}`);
    expect(`\n${written.join('\n')}\n`).to.equal(specification);
  });

  const answers: [string, Campaign, Refusal | undefined][] = [
    ['all hold', free, undefined],
    ['only the first fails', { ...free, hasMirror: false }, 'mirror-not-created'],
    ['only the second fails', { ...free, isDefault: true }, 'default-campaign'],
    ['only the third fails', { ...free, ownerId: foreign }, 'not-the-owner'],
    ['the first and the second fail', { ...free, hasMirror: false, isDefault: true }, 'mirror-not-created'],
    ['the first and the third fail', { ...free, hasMirror: false, ownerId: foreign }, 'mirror-not-created'],
    ['the second and the third fail', { ...free, isDefault: true, ownerId: foreign }, 'default-campaign'],
    ['all fail', { ...free, hasMirror: false, isDefault: true, ownerId: foreign }, 'mirror-not-created'],
  ];
  for (const [when, campaign, refusal] of answers) {
    it(`decisions: order of checks — ${when}: ${refusal ?? 'no refusal'}`, () => {
      expect(refusalOf(campaign, caller)).to.equal(refusal);
    });
  }
});

describe('the rules for an act of the operator', () => {
  const answers: [string, Campaign, OperatorRefusal | undefined][] = [
    ['all hold', free, undefined],
    ['only the first fails', { ...free, hasMirror: false }, 'mirror-not-created'],
    ['only the second fails', { ...free, isDefault: true }, 'default-campaign'],
    ['both fail', { ...free, hasMirror: false, isDefault: true }, 'mirror-not-created'],
  ];
  for (const [when, campaign, refusal] of answers) {
    it(`${when}: ${refusal ?? 'no refusal'}, whoever owns the campaign`, () => {
      expect(operatorRefusalOf(campaign)).to.equal(refusal);
      expect(operatorRefusalOf({ ...campaign, ownerId: foreign })).to.equal(refusal);
    });
  }
});
