import {
  type CampaignColumn,
  type CampaignRecord,
  campaignColumns,
  campaignRow,
  noHosts,
} from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { addressFaults } from '../../packages/adapters-cli/src/commands/words.ts';
import { importedCampaign } from '../../packages/adapters-cli/src/import-export/imported-campaign.ts';
import { address, denying, named } from '../support/store/world.ts';

const refusals = {
  identifier: 'must be a whole number from 1 to 9007199254740991, in digits alone',
  name: 'must be a name on one line, of 1 to 200 characters',
  flag: 'must be true or false',
  count: 'must be a whole number from 0 to 9007199254740991, in digits alone',
  time: 'must be a time such as 2026-11-20T15:36:00.123456Z, which a spreadsheet keeps in a column of text',
  contradiction: 'it must be there when updated_externally is true, and only then',
};
const itIs = (text: string) => `it is ${JSON.stringify(text)}, and`;
const time = '2026-11-20T15:36:00.123456Z';
const least = { owner_id: '7' };
const withMirror = { ...least, target_url: 'https://a.example/' };

function judged(fields: Partial<Record<CampaignColumn, string>>) {
  return importedCampaign(fields, noHosts);
}

/** Such as `clicks: it must be …`, in the order of the columns. */
function faultsOf(fields: Partial<Record<CampaignColumn, string>>, denied = noHosts): string[] {
  const read = importedCampaign(fields, denied);
  expect(read.campaign === null).to.equal(read.faults.length > 0);
  return read.faults.map(({ column, reason }) => `${column}: ${reason}`);
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
    for (const one of [record, { ...record, name: null }, { ...record, mirror: null }]) {
      const row = campaignRow(one);
      const fields = Object.entries(row).map(([name, value]) => [name, String(value ?? '')]);
      expect(judged(Object.fromEntries(fields)).campaign).to.deep.equal(row);
      expect(Object.keys(row)).to.deep.equal(campaignColumns);
    }
  });

  it('everything that is wrong with it is told, in the order of the columns', () => {
    const bad = Object.fromEntries(campaignColumns.map((field) => [field, ' ']));
    expect(faultsOf(bad)).to.deep.equal([
      `id: it is " ", and ${refusals.identifier}`,
      `name: it is " ", and ${refusals.name}`,
      `owner_id: it is " ", and ${refusals.identifier}`,
      `is_default: it is " ", and ${refusals.flag}`,
      `created_at: it is " ", and ${refusals.time}`,
      `mirror_id: it is " ", and ${refusals.identifier}`,
      `target_url: ${addressFaults['forbidden-character']}`,
      `clicks: it is " ", and ${refusals.count}`,
      `updated_externally: it is " ", and ${refusals.flag}`,
      `updated_externally_at: it is " ", and ${refusals.time}`,
      `mirror_created_at: it is " ", and ${refusals.time}`,
      `mirror_updated_at: it is " ", and ${refusals.time}`,
    ]);
  });

  const identifiers = [
    '0',
    '-1',
    '01',
    '1.00',
    '1.000',
    '1,0',
    '.0',
    '0.0',
    '1e3',
    '9007199254740992',
    '\uff11',
    ' 1',
  ];
  const flags = ['1', 'yes', 't', 'WAHR', 'true ', 'untrue', 'false ', 'xfalse'];
  const counts = ['-1', '00', '1.5', '-0.0', '9007199254740992', '1,000'];
  for (const [field, good, bad, because] of [
    ['id', ['1', '12.0', '9007199254740991'], identifiers, refusals.identifier],
    ['is_default', ['true', 'TRUE', 'False'], flags, refusals.flag],
    ['clicks', ['0', '0.0', '12.0', '9007199254740991'], counts, refusals.count],
  ] as const)
    it(`${field}: ${good.join(' or ')}, and nothing else`, () => {
      for (const text of good) expect(faultsOf({ ...withMirror, [field]: text }), text).to.deep.equal([]);
      for (const text of bad)
        expect(faultsOf({ ...withMirror, [field]: text }), text).to.deep.equal([
          `${field}: ${itIs(text)} ${because}`,
        ]);
    });

  it('contract: the address — under the rule of the interface, denied hosts included', () => {
    for (const [text, because] of [
      [`https://a.example/${'x'.repeat(2048)}`, 'too-long'],
      ['https://a.example/\u200b', 'forbidden-character'],
      ['https://https://x.example/', 'not-a-url'],
      ['https://go.A.example./', 'denied-host'],
    ] as const) {
      const faults = faultsOf({ ...least, target_url: text }, denying('*.a.example'));
      expect(faults).to.deep.equal([`target_url: ${addressFaults[because]}`]);
    }
  });

  it('does not repeat what may be a password, in whichever column', () => {
    expect(faultsOf({ ...least, id: 'https://me:secret@a.example/' })).to.deep.equal([
      `id: ${itIs('…')} ${refusals.identifier}`,
    ]);
  });

  it('has an owner, and no fields of a mirror where there is none', () => {
    expect(faultsOf({ owner_id: '' })).to.deep.equal(['owner_id: it must not be empty']);
    const ofMirror = { mirror_id: '1', clicks: '0', updated_externally: 'false', mirror_created_at: time };
    for (const [field, value] of Object.entries({ ...ofMirror, mirror_updated_at: time })) {
      expect(faultsOf({ ...least, [field]: value }), field).to.deep.equal([
        `target_url: it must not be empty, since ${field} is not`,
      ]);
    }
  });

  it('a mirror was updated externally at some time, or never', () => {
    const contradiction = `updated_externally_at: ${refusals.contradiction}`;
    for (const [flag, at, ...faults] of [
      ['true', time],
      ['false', ''],
      ['true', '', contradiction],
      ['false', time, contradiction],
      ['', time, contradiction],
      ['x', time, `updated_externally: ${itIs('x')} ${refusals.flag}`],
    ] as [string, string, ...string[]][]) {
      const externally = { ...withMirror, updated_externally: flag, updated_externally_at: at };
      expect(faultsOf(externally)).to.deep.equal(faults);
      expect(faultsOf({ ...externally, clicks: 'x' })).to.deep.equal(
        [`clicks: ${itIs('x')} ${refusals.count}`, ...faults].sort(),
      );
    }
  });
});
