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

/** Of scripts with rules of their own, and what only a new Unicode knows. */
const letters = fc.constantFrom(
  ...'aZ0-_üßÜẞéияӀ中文日本あかん한국عربעבריתไทยहिन्दी😀𝔸①ⅷ％．。｛｝ſ\u200d\u0301',
);
const unicode = fc.string({ unit: 'binary', minLength: 1, maxLength: 3 });
const macros = fc.constantFrom(macro, '{sub}', '{Sub}', '{CLICK_ID}', '%7Bclick_id%7D');
const joined = (parts: readonly string[]) => parts.join('');
const text = fc.string({ unit: letters, minLength: 1, maxLength: 5 });
const label = fc.array(fc.oneof(text, fc.stringMatching(/^[a-z0-9]+$/), macros), {
  minLength: 1,
  maxLength: 2,
});
const labels = fc.array(label.map(joined), { minLength: 1, maxLength: 3 });
const oddHosts =
  'shop\u04c0.example 127.0.0.1 [::1] localhost １２７.example {click_id}.bücher.example 1.2.3.{click_id} a{}b.рф';
const host = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(labels, fc.constantFrom('.', '。'))
      .map(([all, dot]) => [...all, 'example'].join(dot)),
  },
  { weight: 1, arbitrary: fc.constantFrom(...oddHosts.split(' ')) },
);
const piece = fc.oneof(
  macros,
  unicode,
  fc.webPath(),
  fc.constantFrom('[x]', '|', '"', '%', '#', '?a={click_id}', '/../', '😀'.repeat(400)),
);
const rest = fc.array(piece, { maxLength: 4 }).map(joined);
const schemes = fc.constantFrom('https://', 'http://', 'HTTPS://');
const ports = fc.constantFrom('', ':8443', ':');
const address = fc.tuple(schemes, host, ports, fc.constantFrom('', '/', '?', '#'), rest).map(joined);
const odd = fc.constantFrom('\r\nSet-Cookie: a=b', ...'\n\t\\ \u0001@\u202e', 'x'.repeat(100_000));
const noAddresses =
  '| |javascript:alert(1)|data:text/html,x|//a.example/|https://|https://?|http:a.example|ftp://a.example/';
/** What the owner of the tables can write: any text but NUL and half a surrogate pair, which PostgreSQL refuses. */
const row = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .tuple(address, fc.nat(40), odd)
      .map(([text, at, inserted]) => text.slice(0, at) + inserted + text.slice(at)),
    fc.constantFrom(...noAddresses.split('|')),
  )
  .filter((text) => !text.includes('\0') && text.isWellFormed());

/** So many different ones that satisfy the condition. */
function some(
  arbitrary: fc.Arbitrary<string>,
  count: number,
  condition: (text: string) => boolean,
): string[] {
  const found = new Set<string>();
  for (let round = 0; found.size < count; round++) {
    const sample = fc.sample(arbitrary, { numRuns: 2 * count, seed: seed + round });
    for (const text of sample) if (found.size < count && condition(text)) found.add(text);
  }
  return [...found];
}

/** Made once, for all that are tried. */
const once = <T>(make: () => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};
const accepted = once(() => some(address, 10_000, isAccepted));
const refused = once(() => some(row, 1_000, (text) => !isAccepted(text)));

const authority = (address: string) => /^https?:\/\/([^/?#]*)/i.exec(address)?.[1] ?? '';
const isAscii = (text: string) => /^[!-~]*$/.test(text);
const fresh = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** Whether a label would be converted with a macro in it, which nobody could fill in then. */
const convertsMacro = (host: string) =>
  host
    .split(/[.\u3002\uFF0E\uFF61]/)
    .some((label) => !isAscii(label) && /[{}]/.test(URL.parse(`http://${label}.a/`)?.host ?? ''));

/** What is wrong with the answer to a visitor who brings this `click_id`; nothing if it leads where the address leads. */
function faultOf(address: string, brought: string, { status, location = '', cached }: Visit, isOld: boolean) {
  if (cached !== 'no-store') return 'it may be kept';
  const inHost = authority(address);
  if (status === 502) {
    if (convertsMacro(inHost) || (isOld && !isAscii(inHost))) return undefined;
    return URL.parse(address.replaceAll(macro, brought)) ? 'no reason for 502' : undefined;
  }
  if (status !== 302) return `${status}`;
  if (!isAscii(location)) return 'it is not ASCII';
  if (!URL.parse(location)) return 'no browser opens it';
  if (convertsMacro(inHost)) return 'a macro was converted';
  const isReplaced = inHost.includes(macro) && /[^a-z0-9-]/i.test(brought);
  const id = isReplaced ? fresh.exec(location)?.[0] : brought;
  if (id === undefined) return 'the host has what a visitor brought';
  const expected = address.replaceAll(macro, encodeURIComponent(id));
  if (isAscii(expected)) return location === expected ? undefined : 'something else was changed';
  return URL.parse(location)?.href === URL.parse(expected)?.href ? undefined : 'it leads elsewhere';
}

/**
 * Every address and every row gets an answer, from one process that lives on. `node`: the program that runs it. `isOld`: it
 * may know fewer characters than ours.
 */
export function redirectorContract(name: string, node = async () => process.execPath, isOld = false): void {
  describe(`examples/redirector on ${name}: every address has an answer (SEED=${seed})`, () => {
    const database = databaseOf('suite');
    const startRedirector = redirectorProgram();
    let visit: (path: unknown) => Promise<Visit>;
    let running: Awaited<ReturnType<typeof startRedirector>>['process'];
    before(async () => {
      // The owner of the tables can write whatever a text can hold.
      await database.admin.query('alter table campaign_mirror.mirrors disable trigger user');
      ({ visit, process: running } = await startRedirector(
        { DATABASE_URL: database.url('redirector') },
        await node(),
      ));
    });
    after(endAll);

    const stored = async (addresses: readonly string[]) => {
      const owner =
        'insert into campaign_mirror.campaigns (owner_id) select 1 from generate_series(1, $1) returning id';
      const { rows } = await database.admin.query(owner, [addresses.length]);
      const campaigns = rows.map(({ id }) => Number(id));
      await database.admin.query(
        `insert into campaign_mirror.mirrors (campaign_id, owner_id, is_default, target_url)
         select id, 1, false, address from unnest($1::bigint[], $2::text[]) as given (id, address)`,
        [campaigns, addresses],
      );
      return campaigns;
    };
    /** Visits each, some at a time. */
    async function visited(
      addresses: readonly string[],
      judge: (address: string, visit: Visit, brought: string) => string | undefined,
    ) {
      const campaigns = await stored(addresses);
      const faults: string[] = [];
      let next = 0;
      const one = async () => {
        for (let index = next++; index < addresses.length; index = next++) {
          const brought = ['Abc-1', 'a/b\r\n#', 'ü.example', '999'][index % 4] ?? '';
          const path = `${campaigns[index]}?click_id=${encodeURIComponent(brought)}`;
          let answer = await visit(path);
          // The database may take longer than a second.
          while (answer.status === 503) answer = await visit(path);
          const address = addresses[index] ?? '';
          const fault = judge(address, answer, brought);
          if (fault)
            faults.push(
              `${fault}: ${JSON.stringify(address.slice(0, 200))} → ${answer.location?.slice(0, 200)}`,
            );
        }
      };
      await Promise.all(Array.from({ length: 32 }, one));
      expect(running.child.exitCode).to.equal(null);
      expect(faults.slice(0, 20), `${faults.length} faults`).to.deep.equal([]);
    }

    it('10,000 that the contract accepts lead where they lead, or are 502 for their visitors alone', async () => {
      let sent = 0;
      const addresses = accepted();
      await visited(addresses, (address, answer, brought) => {
        sent += Number(answer.status === 302);
        return faultOf(address, brought, answer, isOld);
      });
      expect(sent).to.be.above(isOld ? 5_000 : 8_000);
      // However many campaigns the log names, it has what concerns all.
      await database.admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename = 'campaign_mirror_redirector'`);
      await running.says(
        () => /changes are not followed.*: terminating connection/.exec(running.errors) ?? undefined,
      );
    });

    it('1,000 rows that it does not are 502, or an address of the web in one line', async () => {
      await visited(refused(), (_, { status, location = '' }) =>
        status === 502 || (status === 302 && /^https?:[!-~]+$/i.test(location) && URL.parse(location))
          ? undefined
          : `${status}`,
      );
      const log = running.errors.split('\n').filter((line) => line.startsWith('campaign'));
      expect(log).to.have.length.above(100);
      for (const line of log) expect(line).to.match(/^campaign \d+ is 502: its address cannot be sent/);
      expect(running.errors).not.to.match(/javascript|a\.example/);
    });

    it('at its end every click is written', async () => {
      const [campaign] = await stored(['https://a.example/']);
      for (let visits = 0; visits < 3; visits++) expect((await visit(campaign)).status).to.equal(302);
      expect(await running.stop()).to.deep.equal({ code: 0, signal: null });
      const clicks = 'select clicks::int from campaign_mirror.mirrors where campaign_id = $1';
      expect((await database.admin.query(clicks, [campaign])).rows).to.deep.equal([{ clicks: 3 }]);
    });
  });
}
