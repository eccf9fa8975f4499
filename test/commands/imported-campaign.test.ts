import { type CampaignRecord, noDeniedHosts } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import {
  type CampaignField,
  campaignFields,
  fieldsOf,
} from '../../packages/adapters-cli/src/commands/campaign-fields.ts';
import { importedCampaign } from '../../packages/adapters-cli/src/import-export/imported-campaign.ts';
import { address, denying, named } from '../support/store/world.ts';

const time = '2026-11-20T15:36:00.123456Z';
const least = { owner_id: '7' };
const withMirror = { ...least, target_url: 'https://a.example/' };

function judged(fields: Partial<Record<CampaignField, string>>) {
  return importedCampaign(fields, noDeniedHosts);
}

/** Such as `clicks: not-a-count`, in the order of the columns. */
function faultsOf(fields: Partial<Record<CampaignField, string>>, denied = noDeniedHosts): string[] {
  const read = importedCampaign(fields, denied);
  expect(read.campaign === null).to.equal(read.faults.size > 0);
  return [...read.faults].map(([field, because]) => `${field}: ${because}`);
}

describe('a campaign that is imported', () => {
  it('is the one that was exported', () => {
    const record = {
      id: 5,
      ownerId: Number.MAX_SAFE_INTEGER,
      isDefault: true,
      name: named('Summer, "first"'),
      createdAt: time,
      mirror: {
        id: 9,
        campaignId: 5,
        targetUrl: address('https://B\u00dcCHER.example/{id}?a="x",y|[z]'),
        clicks: 12,
        updatedExternally: true,
        updatedExternallyAt: time,
        createdAt: '0001-01-01T00:00:00.000000Z',
        updatedAt: '9999-12-31T23:59:59.999999Z',
      },
    } as unknown as CampaignRecord;
    // What is left empty is that of a new campaign.
    const fresh = { clicks: 0, updatedExternally: false, updatedExternallyAt: null, id: null };
    expect(judged(withMirror)).to.deep.nested.include({
      'campaign.isDefault': false,
      'campaign.mirror': { ...fresh, targetUrl: withMirror.target_url, createdAt: null, updatedAt: null },
    });
    for (const one of [record, { ...record, name: null }, { ...record, mirror: null }]) {
      const { mirror, ...campaign } = one;
      const { campaignId, ...rest } = mirror ?? { campaignId: null };
      const fields = Object.entries(fieldsOf(one)).map(([name, value]) => [name, String(value ?? '')]);
      const { campaign: read } = judged(Object.fromEntries(fields));
      expect(read).to.deep.equal({ ...campaign, mirror: mirror && rest });
    }
    expect(Object.keys(fieldsOf(record))).to.deep.equal(campaignFields);
  });

  it('everything that is wrong with it is told, in the order of the columns', () => {
    const bad = Object.fromEntries(campaignFields.map((field) => [field, ' ']));
    expect(faultsOf(bad)).to.deep.equal([
      'id: not-an-identifier',
      'name: not-a-name',
      'owner_id: not-an-identifier',
      'is_default: not-a-flag',
      'created_at: not-a-time',
      'mirror_id: not-an-identifier',
      'target_url: forbidden-character',
      'clicks: not-a-count',
      'updated_externally: not-a-flag',
      'updated_externally_at: not-a-time',
      'mirror_created_at: not-a-time',
      'mirror_updated_at: not-a-time',
    ]);
  });

  const identifiers = ['0', '-1', '01', '1.0', '1e3', '9007199254740992', '\uff11', ' 1'];
  const flags = ['1', 'yes', 't', 'true ', 'untrue', 'false ', 'xfalse'];
  const counts = ['-1', '00', '1.5', '9007199254740992', '1,000'];
  for (const [field, good, bad, because] of [
    ['id', ['1', '9007199254740991'], identifiers, 'not-an-identifier'],
    ['is_default', ['true', 'TRUE', 'False'], flags, 'not-a-flag'],
    ['clicks', ['0', '9007199254740991'], counts, 'not-a-count'],
  ] as const)
    it(`${field}: ${good.join(' or ')}, and nothing else`, () => {
      for (const text of good) expect(faultsOf({ ...withMirror, [field]: text }), text).to.deep.equal([]);
      for (const text of bad)
        expect(faultsOf({ ...withMirror, [field]: text }), text).to.deep.equal([`${field}: ${because}`]);
    });

  it('contract: the address — under the rule of the interface, denied hosts included', () => {
    for (const [text, because] of [
      [`https://a.example/${'x'.repeat(2048)}`, 'too-long'],
      ['https://a.example/\u200b', 'forbidden-character'],
      ['https://https://x.example/', 'not-a-url'],
      ['https://go.A.example./', 'denied-host'],
    ]) {
      const faults = faultsOf({ ...least, target_url: text as string }, denying('*.a.example'));
      expect(faults).to.deep.equal([`target_url: ${because}`]);
    }
  });

  it('has an owner, and no fields of a mirror where there is none', () => {
    expect(faultsOf({ owner_id: '' })).to.deep.equal(['owner_id: missing']);
    const ofMirror = { mirror_id: '1', clicks: '0', updated_externally: 'false', mirror_created_at: time };
    for (const [field, value] of Object.entries({ ...ofMirror, mirror_updated_at: time })) {
      expect(faultsOf({ ...least, [field]: value }), field).to.deep.equal(['target_url: missing']);
    }
  });

  it('a mirror was updated externally at some time, or never', () => {
    const contradiction = 'updated_externally_at: contradiction';
    for (const [flag, at, ...faults] of [
      ['true', time],
      ['false', ''],
      ['true', '', contradiction],
      ['false', time, contradiction],
      ['', time, contradiction],
      ['x', time, 'updated_externally: not-a-flag'],
    ] as [string, string, ...string[]][]) {
      const externally = { ...withMirror, updated_externally: flag, updated_externally_at: at };
      expect(faultsOf(externally)).to.deep.equal(faults);
      expect(faultsOf({ ...externally, clicks: 'x' })).to.deep.equal(
        ['clicks: not-a-count', ...faults].sort(),
      );
    }
  });
});
