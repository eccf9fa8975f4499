import { mirrorAddress } from '@campaign-mirror/domain';
import { noHosts } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { databaseOf } from '../support/process/lives.ts';
import { redirectorProgram, type Visit } from '../support/process/redirector.ts';
import { endAll } from '../support/process/service-process.ts';
import { seed } from '../support/seed.ts';

const macro = '{click_id}';
const isAccepted = (text: string) => typeof mirrorAddress(text, noHosts) === 'string';
const joined = (parts: readonly string[]) => parts.join('');

/** Letters whose scripts have rules for host names, and some that only a new Unicode has. */
const letters = fc.constantFrom(
  ...'aZ0-_üßÜẞéияӀ中文日本あかん한국عربעבריתไทยहिन्दी😀𝔸①ⅷ％．。｛｝ſ\u200d\u0301',
);
const macros = fc.constantFrom(macro, '{sub}', '{CLICK_ID}', '%7Bclick_id%7D');
const text = fc.string({ unit: letters, minLength: 1, maxLength: 5 });
const part = fc.oneof(text, fc.stringMatching(/^[a-z0-9]+$/), macros);
const label = fc.array(part, { minLength: 1, maxLength: 2 }).map(joined);
const odd =
  'shop\u04c0.example 127.0.0.1 [::1] localhost １２７.example {click_id}.bücher.example 1.2.3.{click_id}';
const host = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.array(label, { minLength: 1, maxLength: 3 }).map((all) => `${all.join('.')}.example`),
  },
  { weight: 1, arbitrary: fc.constantFrom(...odd.split(' ')) },
);
const unicode = fc.string({ unit: 'binary', minLength: 1, maxLength: 3 });
const pieces = fc.constantFrom('[x]', '|', '"', '%', '#', '?a={click_id}', '/../', '😀'.repeat(400));
const rest = fc.array(fc.oneof(macros, unicode, fc.webPath(), pieces), { maxLength: 4 }).map(joined);
const schemes = fc.constantFrom('https://', 'http://', 'HTTPS://');
const afterHost = fc.constantFrom('', ':8443', ':', '/', '?', '#');
const address = fc.tuple(schemes, host, afterHost, rest).map(joined);
/** Rows that the owner of the tables can write. */
const badRows = [
  ...[
    '',
    ' ',
    'javascript:alert(1)',
    'data:text/html,x',
    '//a.example/',
    'https://',
    'http:a.example',
    'ftp://a.example/',
  ],
  ...['\r\nSet-Cookie: a=b', '\n', '\t', '\\', '\u0001', '@', '\u202e', 'x'.repeat(100_000)].flatMap(
    (inserted) =>
      ['https://', 'https://a.example/', 'https://a.ex'].map((text) => `${text}${inserted}ample/?a=b`),
  ),
];

/** As many different samples that satisfy the condition. */
function some(
  arbitrary: fc.Arbitrary<string>,
  count: number,
  condition: (text: string) => boolean,
): string[] {
  const found = new Set<string>();
  for (let round = 0; found.size < count; round++)
    for (const text of fc.sample(arbitrary, { numRuns: 2 * count, seed: seed + round }))
      if (found.size < count && condition(text)) found.add(text);
  return [...found];
}

const authority = (address: string) => /^https?:\/\/([^/?#]*)/i.exec(address)?.[1] ?? '';
const isAscii = (text: string) => /^[!-~]*$/.test(text);
const newId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** Whether the conversion to Punycode would swallow a macro, which nobody could fill in then. */
const convertsMacro = (host: string) =>
  host
    .split(/[.\u3002\uFF0E\uFF61]/)
    .some((label) => !isAscii(label) && /[{}]/.test(URL.parse(`http://${label}.a/`)?.host ?? ''));

/** The fault of the answer to a visitor with this `click_id`; undefined if it leads where the address leads. */
function faultOf(address: string, clickId: string, { status, location = '', cached }: Visit, isOld: boolean) {
  if (cached !== 'no-store') return 'it may be cached';
  const inHost = authority(address);
  if (status === 502) {
    if (convertsMacro(inHost) || (isOld && !isAscii(inHost))) return undefined;
    return URL.parse(address.replaceAll(macro, clickId)) ? 'no reason for 502' : undefined;
  }
  if (status !== 302) return `${status}`;
  if (!isAscii(location) || !URL.parse(location)) return 'no browser opens it';
  if (convertsMacro(inHost)) return 'a macro was converted';
  const isReplaced = inHost.includes(macro) && /[^a-z0-9-]/i.test(clickId);
  const id = isReplaced ? newId.exec(location)?.[0] : clickId;
  if (id === undefined) return "the host has the visitor's text";
  const expected = address.replaceAll(macro, encodeURIComponent(id));
  if (isAscii(expected)) return location === expected ? undefined : 'it changed something else';
  return URL.parse(location)?.href === URL.parse(expected)?.href ? undefined : 'it leads elsewhere';
}

/** Tests the example on a program of Node. `isOld`: it may know fewer characters than the Node of the tests. */
export function redirectorContract(name: string, node = async () => process.execPath, isOld = false): void {
  describe(`examples/redirector on ${name} answers for every address (SEED=${seed})`, () => {
    const database = databaseOf('suite');
    const startRedirector = redirectorProgram();
    let visit: (path: unknown) => Promise<Visit>;
    let running: Awaited<ReturnType<typeof startRedirector>>['process'];
    before(async () => {
      // The owner of the tables can store any text.
      await database.admin.query('alter table campaign_mirror.mirrors disable trigger user');
      const addresses = { DATABASE_URL: database.url('redirector') };
      ({ visit, process: running } = await startRedirector(addresses, await node()));
    });
    after(endAll);

    async function stored(addresses: readonly string[]): Promise<number[]> {
      const { rows } = await database.admin.query(
        'insert into campaign_mirror.campaigns (owner_id) select 1 from generate_series(1, $1) returning id',
        [addresses.length],
      );
      const campaigns = rows.map(({ id }) => Number(id));
      await database.admin.query(
        `insert into campaign_mirror.mirrors (campaign_id, owner_id, is_default, target_url)
         select id, 1, false, address from unnest($1::bigint[], $2::text[]) as given (id, address)`,
        [campaigns, addresses],
      );
      return campaigns;
    }
    /** Visits each address, 32 at a time, and expects no fault. */
    async function visitAll(
      addresses: readonly string[],
      judge: (address: string, visit: Visit, clickId: string) => string | undefined,
    ) {
      const campaigns = await stored(addresses);
      const faults: string[] = [];
      let next = 0;
      const one = async () => {
        for (let index = next++; index < addresses.length; index = next++) {
          const clickId = ['Abc-1', 'a/b\r\n#', 'ü.example', '999'][index % 4] ?? '';
          const path = `${campaigns[index]}?click_id=${encodeURIComponent(clickId)}`;
          let answer = await visit(path);
          // A busy database may need more than a second.
          while (answer.status === 503) answer = await visit(path);
          const address = addresses[index] ?? '';
          const fault = judge(address, answer, clickId);
          if (fault) faults.push(`${fault}: ${JSON.stringify(address)} → ${answer.location}`.slice(0, 400));
        }
      };
      await Promise.all(Array.from({ length: 32 }, one));
      expect(running.child.exitCode).to.equal(null);
      expect(faults.slice(0, 20), `${faults.length} faults`).to.deep.equal([]);
    }

    it('2,000 accepted addresses lead where they lead, or are 502 for their own visitors', async () => {
      let redirects = 0;
      await visitAll(some(address, 2_000, isAccepted), (address, answer, clickId) => {
        redirects += Number(answer.status === 302);
        return faultOf(address, clickId, answer, isOld);
      });
      expect(redirects).to.be.above(isOld ? 1_000 : 1_600);
    });

    it('rows with other texts are 502, or one line with an address of the web; the log names no address', async () => {
      await visitAll(badRows, (_, { status, location = '' }) =>
        status === 502 || (status === 302 && /^https?:[!-~]+$/i.test(location) && URL.parse(location))
          ? undefined
          : `${status}`,
      );
      expect(running.errors).to.match(/^campaign \d+ is 502: its address cannot be sent/m);
      expect(running.errors).not.to.match(/javascript|a\.example/);
    });
  });
}
