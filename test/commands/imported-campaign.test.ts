import { type CampaignColumn, noHosts } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { importedCampaign } from '../../packages/adapters-cli/src/import-export/imported-campaign.ts';

const [whole, digits] = ['must be a whole number from', 'to 9007199254740991, in digits alone'];
const refusals = {
  identifier: `${whole} 1 ${digits}`,
  flag: 'must be true or false',
  count: `${whole} 0 ${digits}`,
  contradiction: 'it must be there when updated_externally is true, and only then',
};
const itIs = (text: string) => `it is ${JSON.stringify(text)}, and`;
const time = '2026-11-20T15:36:00.123456Z';
const withMirror = { owner_id: '7', target_url: 'https://a.example/' };

/** Each fault as `column: reason`. */
function faultsOf(fields: Partial<Record<CampaignColumn, string>>): string[] {
  const read = importedCampaign(fields, noHosts);
  expect(read.campaign === null).to.equal(read.faults.length > 0);
  return read.faults.map(({ column, reason }) => `${column}: ${reason}`);
}

describe('import: every field of a line is checked', () => {
  const wrongNumbers = [
    '0',
    '-1',
    '01',
    '1.00',
    '1,0',
    '.0',
    '0.0',
    '1e3',
    '9007199254740992',
    '\uff11',
    ' 1',
  ];
  for (const [field, good, bad, because] of [
    ['id', ['1', '12.0', '9007199254740991'], wrongNumbers, refusals.identifier],
    ['is_default', ['true', 'TRUE', 'False'], ['1', 'yes', 'WAHR', 'true ', 'xfalse'], refusals.flag],
    [
      'clicks',
      ['0', '0.0', '12.0'],
      ['-1', '00', '1.5', '-0.0', '9007199254740992', '1,000'],
      refusals.count,
    ],
  ] as const)
    it(`${field} accepts ${good.join(', ')} and the like only`, () => {
      for (const text of good) expect(faultsOf({ ...withMirror, [field]: text }), text).to.deep.equal([]);
      for (const text of bad)
        expect(faultsOf({ ...withMirror, [field]: text }), text).to.deep.equal([
          `${field}: ${itIs(text)} ${because}`,
        ]);
    });

  it('a fault does not repeat what may be a password', () => {
    expect(faultsOf({ owner_id: '7', id: 'https://me:secret@a.example/' })).to.deep.equal([
      `id: ${itIs('…')} ${refusals.identifier}`,
    ]);
  });

  it('a campaign has an owner, and no fields of a mirror without an address', () => {
    expect(faultsOf({ owner_id: '' })).to.deep.equal(['owner_id: it must not be empty']);
    const ofMirror = { mirror_id: '1', clicks: '0', updated_externally: 'false', mirror_created_at: time };
    for (const [field, value] of Object.entries(ofMirror))
      expect(faultsOf({ owner_id: '7', [field]: value }), field).to.deep.equal([
        `target_url: it must not be empty, since ${field} is not`,
      ]);
  });

  it('updated_externally_at is given exactly when updated_externally is true', () => {
    const contradiction = `updated_externally_at: ${refusals.contradiction}`;
    for (const [flag, at, ...faults] of [
      ['true', time],
      ['false', ''],
      ['true', '', contradiction],
      ['false', time, contradiction],
      ['', time, contradiction],
    ] as [string, string, ...string[]][])
      expect(faultsOf({ ...withMirror, updated_externally: flag, updated_externally_at: at })).to.deep.equal(
        faults,
      );
  });
});
