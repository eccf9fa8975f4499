import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { answered, command } from '../support/commands/command.ts';
import { freshDatabase } from '../support/database/database-server.ts';
import { folderOf } from '../support/process/lives.ts';
import { endAll, startService } from '../support/process/service-process.ts';

describe('secrets in files', () => {
  const { at } = folderOf('suite');
  afterEach(endAll);

  async function file(content: string, name = 'secret'): Promise<string> {
    const path = at(name);
    await writeFile(path, content);
    return path;
  }

  const password = (environment: Record<string, string>) => {
    const read = readSettings(environment);
    return 'wrong' in read ? read.wrong : read.settings.PGPASSWORD;
  };

  it('are what the file holds, but for the line break at its end', async () => {
    const cases = [
      ['it', 'it'],
      ['it\n', 'it'],
      ['it\r\n', 'it'],
      [' p\u00e4ss word ', ' p\u00e4ss word '],
    ];
    for (const [content = '', secret] of cases) {
      expect(password({ PGPASSWORD_FILE: await file(content) })).to.equal(secret);
    }
  });

  it('may lie behind a link, as those of Kubernetes do', async () => {
    await symlink(await file('it\n', 'linked'), at('link'));
    expect(password({ PGPASSWORD_FILE: at('link') })).to.equal('it');
  });

  it('a variable that is set to nothing names no file', () => {
    expect(password({ PGPASSWORD_FILE: '', PGPASSWORD: 'it' })).to.equal('it');
  });

  it('a file that can be no secret is named, and what it holds is not', async () => {
    await mkdir(at('folder'));
    const noLine = (path: string): [string, string] => [path, `${path} must hold one line`];
    const cases: [path: string, fault: string][] = [
      [at('nowhere'), `ENOENT: no such file or directory, stat '${at('nowhere')}'`],
      [at('folder'), `${at('folder')} is not a file`],
      ['/dev/null', '/dev/null is not a file'],
      noLine(await file('\n', 'break')),
      noLine(await file('MARKED\nMARKED\n', 'lines')),
      noLine(await file('MARKED\n\n', 'two breaks')),
    ];
    for (const [path, fault] of cases) {
      expect(password({ PGPASSWORD_FILE: path })).to.deep.equal([`PGPASSWORD_FILE: ${fault}`]);
    }
  });

  it('both, the secret and its file, are refused', async () => {
    expect(password({ PGPASSWORD: 'MARKED', PGPASSWORD_FILE: await file('MARKED') })).to.deep.equal([
      'PGPASSWORD_FILE: PGPASSWORD is set too: leave one of them out',
    ]);
  });

  it('the wrong value of a file is told with the file, and not shown', async () => {
    const path = await file('mysql://MARKED\n');
    expect(password({ DATABASE_URL_FILE: path })).to.deep.equal([
      `DATABASE_URL (in ${path}) must be a URL such as postgres://user:password@host:5432/database, with one host, and what is special in it percent-encoded`,
    ]);
  });

  it('are secrets only: another setting is not read from a file, which is told', () => {
    const read = readSettings({ PGHOST_FILE: '/run/secrets/host', LOG_LEVEL_FILE: '' });
    expect(read).to.deep.include({ notes: ['PGHOST_FILE is not read: set PGHOST itself'] });
  });

  it('the commands take the address of the database from its file', async () => {
    const database = await freshDatabase();
    const DATABASE_URL_FILE = await file(`${database.url('operator')}\n`, 'address');
    expect(await command(['campaign', 'list', '--json'], { DATABASE_URL_FILE })).to.deep.equal(answered(''));
  });

  it('the service ends with the line, and exit code 1', async () => {
    const path = await file('MARKED\nMARKED', 'unfit');
    await chmod(path, 0o400);
    const service = startService({ DATABASE_URL_FILE: path });
    expect((await service.ended).code).to.equal(1);
    expect(service.errors).to.equal(`DATABASE_URL_FILE: ${path} must hold one line\n`);
    expect(service.output).to.equal('');
  });
});
