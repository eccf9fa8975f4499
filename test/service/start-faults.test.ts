import { type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import * as databases from '../support/database/database-server.ts';
import { databaseOf } from '../support/process/lives.ts';
import * as processes from '../support/process/service-process.ts';

/** Starts the service in one process with one environment after another. */
const program = `
  import { runService } from '@campaign-mirror/app';
  const onListening = () => process.exit(2);
  for (const settings of JSON.parse(process.argv[1]))
    console.error('ended with', await runService({ ...process.env, ...settings }, { onListening }));`;

interface Given {
  readonly make?: () => Promise<databases.TestDatabase>;
  readonly role?: Role;
  /** Changes of the URL of the database. */
  readonly url?: Partial<URL>;
  /** A statement that is run in the database before the start. */
  readonly change?: string;
  readonly [setting: `${Uppercase<string>}`]: string;
}

const empty = () => databases.emptyDatabase();
const notUtf8 = () => databases.emptyDatabase(databases.latin1);
const asService = { role: 'service', RUN_MIGRATIONS: 'false' } as const;
const stranger = { username: 'campaign_mirror_nobody', password: 'MARKED' };
const noRight = `revoke execute on function campaign_mirror.set_mirrors from ${roles.service}`;
const barred = `revoke connect on database NAME from public, ${roles.service}`;
const starts: Record<string, readonly [line: RegExp, given: Given]> = {
  'a HOST of another machine': [/^HOST: "192\.0\.2\.1"/, { HOST: '192.0.2.1' }],
  'a database that is not UTF-8': [/template template0 encoding 'UTF8' locale 'C'$/, { make: notUtf8 }],
  'a wrong password': [/"\w+_nobody" \(28P01\)/, { url: stranger }],
  'no right to connect': [/"\w+_service": .*\(42501\): .*ops\/roles\.sql/, { ...asService, change: barred }],
  'no TLS': [/: check sslmode/, { url: { search: '?sslmode=require' }, DATABASE_WAIT: '60m' }],
  'an unknown database': [/_nowhere" .*\(3D000\): .*DATABASE_URL/, { url: { pathname: '/mirror_nowhere' } }],
  'no right to migrate': [/\(42501\): .*RUN_MIGRATIONS=false$/, { role: 'service' }],
  'no schema': [/: 0001-first-release: run `\.\/campaign-mirror /, { ...asService, make: empty }],
  'the role of a redirector': [
    /"campaign_mirror_redirector" .*\w+_service$/,
    { ...asService, role: 'redirector' },
  ],
  'a missing right': [/: execute on set_mirrors: /, { ...asService, change: noRight }],
};

describe('docs: deploy: a start that cannot succeed prints one line that says what to do', () => {
  const database = databaseOf('suite');
  const expectNoSecret = (text: string) => {
    expect(text).not.to.match(/^\s+at /m);
    expect(text).not.to.include('MARKED');
    expect(text).not.to.include(String(database.address('service').password));
  };

  it(`with ${Object.keys(starts).join(', ')}`, async () => {
    const environments: Record<string, string>[] = [];
    for (const [, given] of Object.values(starts)) {
      const { make = databases.freshDatabase, role = 'owner', url, change, ...settings } = given;
      const other = await make();
      if (change) await other.admin.query(change.replace('NAME', other.name));
      const DATABASE_URL = Object.assign(new URL(other.url(role)), url).href;
      environments.push({ DATABASE_WAIT: '0s', ...settings, DATABASE_URL });
    }
    const words = ['--input-type=module', '--eval', program, JSON.stringify(environments)];
    const folder = `${processes.projectFolder}packages/app`;
    const { output, errors } = await processes.start(process.execPath, words, {}, folder).done();
    expectNoSecret(output + errors);
    const found = errors.split(/\nended with 1\n/);
    for (const [at, [what, [line]]] of Object.entries(starts).entries())
      expect(found[at], what).to.match(line).and.not.include('\n');
  });

  it('with a database that is away when DATABASE_WAIT ends', async () => {
    const url = 'postgres://me:MARKED@127.0.0.1:9/db';
    const process = processes.startService({ DATABASE_WAIT: '1s', DATABASE_URL: url });
    const { msg } = await process.event('database-awaited');
    expect(msg).to.include('127.0.0.1:9/db').and.not.include('MARKED');
    const { code, output, errors } = await process.done();
    expect(code).to.equal(1);
    expect(errors).to.match(/^.* 127\.0\.0\.1:9\/db .*\(ECONNREFUSED\): .*\n$/);
    expectNoSecret(output + errors);
  });
});
