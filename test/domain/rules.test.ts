import {
  type AccessKeyId,
  type Caller,
  type Campaign,
  type CampaignId,
  keySubject,
  type OwnerId,
  operatorRefusalOf,
  type Refusal,
  refusalOf,
} from '@campaign-mirror/domain';
import { expect } from 'chai';

const caller: Caller = { ownerId: 1 as OwnerId, subject: keySubject(1 as AccessKeyId) };
const free: Campaign = { id: 1 as CampaignId, ownerId: caller.ownerId, isDefault: false, hasMirror: true };
const foreign = 2 as OwnerId;

describe('contract: rules — the rules', () => {
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
    it(`contract: order of checks — ${when}: ${refusal ?? 'no refusal'}`, () => {
      expect(refusalOf(campaign, caller)).to.equal(refusal);
    });
  }
});

describe('the rules for an act of the operator', () => {
  it('are the first two, whoever owns the campaign', () => {
    for (const [campaign, refusal] of [
      [free, undefined],
      [{ ...free, hasMirror: false }, 'mirror-not-created'],
      [{ ...free, isDefault: true }, 'default-campaign'],
      [{ ...free, hasMirror: false, isDefault: true }, 'mirror-not-created'],
    ] as const) {
      expect(operatorRefusalOf(campaign)).to.equal(refusal);
      expect(operatorRefusalOf({ ...campaign, ownerId: foreign })).to.equal(refusal);
    }
  });
});
