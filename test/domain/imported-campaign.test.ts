import {
  type CampaignField,
  type CampaignFields,
  type CampaignRecord,
  campaignFields,
  claimsOf,
  fieldsOf,
  hostDenylist,
  importedCampaign,
  noDeniedHosts,
  timestamp,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import { named } from '../support/store/operator.ts';
import { address } from '../support/store/world.ts';

const time = '2026-11-20T15:36:00.123456Z';
const nothing = Object.fromEntries(campaignFields.map((field) => [field, ''])) as CampaignFields;
const least = { ...nothing, owner_id: '7' };
const withMirror = { ...least, target_url: 'https://a.example/' };

function judged(fields: Partial<Record<CampaignField, string>>) {
  return importedCampaign({ ...nothing, ...fields }, noDeniedHosts);
}

/** Such as `clicks: not-a-count`, in the order of the columns. */
function faultsOf(fields: Partial<Record<CampaignField, string>>, denied = noDeniedHosts): string[] {
  const read = importedCampaign({ ...nothing, ...fields }, denied);
  return 'faults' in read ? read.faults.map(({ field, because }) => `${field}: ${because}`) : [];
}

describe('a campaign that is imported', () => {
  it('what is left empty is that of a new campaign, which needs nothing but its owner', () => {
    const campaign = { id: null, name: null, ownerId: 7, isDefault: false, createdAt: null, mirror: null };
    expect(judged(least)).to.deep.equal({ campaign });
    const mirror = {
      id: null,
      targetUrl: 'https://a.example/',
      clicks: 0,
      updatedExternally: false,
      updatedExternallyAt: null,
      createdAt: null,
      updatedAt: null,
    };
    expect(judged(withMirror)).to.deep.equal({ campaign: { ...campaign, mirror } });
  });

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
    for (const one of [record, { ...record, name: null }, { ...record, mirror: null }]) {
      const { mirror, ...campaign } = one;
      const { campaignId, ...rest } = mirror ?? { campaignId: null };
      const fields = Object.entries(fieldsOf(one)).map(([name, value]) => [name, String(value ?? '')]);
      expect(judged(Object.fromEntries(fields))).to.deep.equal({
        campaign: { ...campaign, mirror: mirror && rest },
      });
    }
    expect(Object.keys(fieldsOf(record))).to.deep.equal(campaignFields);
  });

  it('lays claim to its number, its mirror and its owner, also where something else of it is bad', () => {
    const fields = { ...withMirror, id: '3', name: 'Mine', mirror_id: '4', is_default: 'true' };
    const claims = { id: 3, name: 'Mine', mirrorId: 4, defaultOf: 7 };
    const good = judged(fields);
    expect('campaign' in good && claimsOf(good.campaign)).to.deep.equal(claims);
    const without = judged(least);
    const none = { id: null, name: null, mirrorId: null, defaultOf: null };
    expect('campaign' in without && claimsOf(without.campaign)).to.deep.equal(none);
    expect(judged({ ...fields, clicks: 'x' })).to.deep.equal({
      faults: [{ kind: 'bad-field', field: 'clicks', because: 'not-a-count' }],
      claims,
    });
    expect(judged({ ...fields, is_default: 'x', id: 'x' })).to.deep.include({
      claims: { id: null, name: 'Mine', mirrorId: 4, defaultOf: null },
    });
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
      'target_url: not-a-url',
      'clicks: not-a-count',
      'updated_externally: not-a-flag',
      'updated_externally_at: not-a-time',
      'mirror_created_at: not-a-time',
      'mirror_updated_at: not-a-time',
    ]);
  });

  it('has an owner', () => {
    expect(faultsOf(nothing)).to.deep.equal(['owner_id: missing']);
  });

  it('numbers are from 1 to 2^53-1, without a sign or a leading zero', () => {
    for (const field of ['id', 'owner_id', 'mirror_id'] as const) {
      for (const good of ['1', '9007199254740991']) {
        expect(faultsOf({ ...withMirror, [field]: good })).to.deep.equal([]);
      }
      for (const bad of ['0', '-1', '01', '1.0', '1e3', '9007199254740992', '\uff11', ' 1']) {
        expect(faultsOf({ ...withMirror, [field]: bad }), bad).to.deep.equal([`${field}: not-an-identifier`]);
      }
    }
  });

  it('clicks are from 0 to 2^53-1', () => {
    for (const good of ['0', '9007199254740991']) {
      expect(faultsOf({ ...withMirror, clicks: good })).to.deep.equal([]);
    }
    for (const bad of ['-1', '00', '1.5', '9007199254740992', '1,000']) {
      expect(faultsOf({ ...withMirror, clicks: bad }), bad).to.deep.equal(['clicks: not-a-count']);
    }
  });

  it('flags are true or false, in any case', () => {
    for (const good of ['true', 'TRUE', 'False']) {
      expect(faultsOf({ ...least, is_default: good })).to.deep.equal([]);
    }
    expect(judged({ ...least, is_default: 'TRUE' })).to.have.nested.property('campaign.isDefault', true);
    for (const bad of ['1', 'yes', 't', 'true ', 'untrue', 'false ', 'xfalse']) {
      expect(faultsOf({ ...least, is_default: bad }), bad).to.deep.equal(['is_default: not-a-flag']);
    }
  });

  it('contract: the address — under the rule of the interface, denied hosts included', () => {
    expect(faultsOf({ ...least, target_url: 'javascript:alert(1)' })).to.deep.equal([
      'target_url: not-a-url',
    ]);
    expect(faultsOf({ ...least, target_url: `https://a.example/${'x'.repeat(2048)}` })).to.deep.equal([
      'target_url: too-long',
    ]);
    const denied = hostDenylist(['*.a.example']);
    if ('notAHost' in denied) throw new Error('no hosts');
    expect(faultsOf({ ...least, target_url: 'https://go.A.example./' }, denied)).to.deep.equal([
      'target_url: denied-host',
    ]);
  });

  it('has no fields of a mirror where there is none', () => {
    const ofMirror = { mirror_id: '1', clicks: '0', updated_externally: 'false', mirror_created_at: time };
    for (const [field, value] of Object.entries({ ...ofMirror, mirror_updated_at: time })) {
      expect(faultsOf({ ...least, [field]: value }), field).to.deep.equal(['target_url: missing']);
    }
  });

  it('a mirror was updated externally at some time, or never', () => {
    const contradiction = ['updated_externally_at: contradiction'];
    const externally = (flag: string, at: string) =>
      faultsOf({ ...withMirror, updated_externally: flag, updated_externally_at: at });
    expect(externally('true', time)).to.deep.equal([]);
    expect(externally('false', '')).to.deep.equal([]);
    expect(externally('true', '')).to.deep.equal(contradiction);
    expect(externally('false', time)).to.deep.equal(contradiction);
    expect(externally('', time)).to.deep.equal(contradiction);
    expect(externally('x', time)).to.deep.equal(['updated_externally: not-a-flag']);
  });
});

describe('a time, in the form of the interface', () => {
  const accepted = [
    '0001-01-01T00:00:00.000000Z',
    '2024-02-29T23:59:59.999999Z',
    '2000-02-29T00:00:00.000001Z',
    '2024-12-31T00:00:00.000000Z',
  ];
  for (const text of accepted) it(`${text} is one`, () => expect(timestamp(text)).to.equal(text));

  const refused: Record<string, string[]> = {
    'not in the calendar': [
      '2026-02-29',
      '1900-02-29',
      '2026-04-31',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
    ]
      .concat(['0000-01-01', '2026-12-32'])
      .map((day) => `${day}T00:00:00.000000Z`),
    'not on the clock': ['24:00:00', '23:60:00', '23:59:60'].map((hour) => `2026-01-01T${hour}.000000Z`),
    'in another form': [
      '2026-11-20T15:36:00Z',
      '2026-11-20T15:36:00.123Z',
      '2026-11-20T15:36:00.1234567Z',
      '2026-11-20 15:36:00.123456Z',
      '2026-11-20T15:36:00.123456+00:00',
      '2026-11-20t15:36:00.123456z',
      '+12026-11-20T15:36:00.123456Z',
      ` ${time}`,
      `${time}\n`,
      '',
    ],
  };
  for (const [why, texts] of Object.entries(refused)) {
    it(why, () => {
      for (const text of texts) expect(timestamp(text), JSON.stringify(text)).to.equal(undefined);
    });
  }
});
