import { mirrorAddress } from '@campaign-mirror/domain';
import { noHosts } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import fc from 'fast-check';
import { connect } from '../support/database/client.ts';
import { groupedOf } from '../support/process/lives.ts';

const start = 'https://a.example/';
const isAccepted = (text: string) => typeof mirrorAddress(text, noHosts) === 'string';
const blanks = [...'\u0001\t\n\v\r \u007f\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000'];

describe('contract: the address — the database refuses an impossible address from every role', () => {
  const service = groupedOf('suite');

  const refused = {
    'another scheme': [
      'javascript:alert(1)',
      'ftp://a.example/',
      'a.example',
      '//a.example/',
      'https:/a.example',
      '',
    ],
    'two addresses': [`${start} ${start}`, `${start}\u0001${start}`, `${start}, javascript:1`],
    'white space and control characters': blanks.flatMap((one) => [`${start}${one}b`, `${one}${start}`]),
    'more than 2,048 characters': [start.padEnd(2049, 'x'), `${start}${'\u{1f389}'.repeat(2031)}`],
  };
  for (const [what, addresses] of Object.entries(refused))
    it(`${what}: refused from the service, the operator and the owner`, async () => {
      const [{ seen }, { seen: bare }] = await service.live(2);
      await service.database.admin.query(
        `delete from campaign_mirror.mirrors where campaign_id = ${bare.id}`,
      );
      const set = `select * from campaign_mirror.set_mirrors(array[${seen.id}], array[${seen.ownerId}], '{f}', array[$1], '{NULL}',
        '{NULL}', '{jwt}', '{me}', '{r}', '{NULL}', false)`;
      const insert = `insert into campaign_mirror.mirrors (campaign_id, target_url) values (${bare.id}, $1)`;
      const update = `update campaign_mirror.mirrors set target_url = $1 where campaign_id = ${seen.id}`;
      for (const [role, text] of [
        ['service', set],
        ['operator', insert],
        ['owner', update],
      ] as const) {
        const client = await connect(service.database.address(role));
        for (const address of addresses) {
          expect(isAccepted(address)).to.equal(false);
          const { code } = await client.query(text, [address]).catch((error) => error);
          expect(code, `${role}: ${JSON.stringify(address.slice(0, 40))}`).to.equal('23514');
        }
        await client.end();
      }
    });

  it('the database refuses no address that the program accepts', async () => {
    const texts = [`${start.replace('s', 'S')}${'\u{1f389}'.repeat(2030)}`];
    for (let point = 1; point <= 0xffff; point++) texts.push(`${start}?${String.fromCodePoint(point)}`);
    const host = fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.constant('[2001:db8::1]:8443'),
      fc.constant('b\u00fccher.example'),
    );
    const scheme = fc.mixedCase(fc.constantFrom('http://', 'https://'));
    const rest = fc.string({ unit: 'binary', maxLength: 60 });
    const any = fc.tuple(scheme, host, fc.constantFrom('/', '?', '#'), rest).map((parts) => parts.join(''));
    texts.push(...fc.sample(any, { numRuns: 2_000, seed: 56 }));
    const accepted = texts.filter((text) => isAccepted(text));
    expect(accepted.length).to.be.greaterThan(50_000);
    const strict = `select text from unnest($1::text[]) as text where not campaign_mirror.is_address(text)`;
    expect((await service.database.admin.query(strict, [accepted])).rows).to.deep.equal([]);
  });
});
