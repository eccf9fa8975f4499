import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { command, refused } from '../support/commands/command.ts';
import { folderOf } from '../support/process/lives.ts';
import { startService } from '../support/process/service-process.ts';

describe('secrets in files', () => {
  const { at } = folderOf('suite');

  async function file(content: string | Buffer, name = 'secret'): Promise<string> {
    await writeFile(at(name), content);
    return at(name);
  }
  const password = (environment: Record<string, string>) => {
    const read = readSettings(environment);
    return 'wrong' in read ? read.wrong : read.settings.PGPASSWORD;
  };

  it('are what the file holds, but for the line break at its end; it may lie behind a link', async () => {
    for (const secret of ['it', ' päss word '])
      for (const [begin, end] of [
        ['', ''],
        ['', '\n'],
        ['\ufeff', '\r\n'],
      ])
        expect(password({ PGPASSWORD_FILE: await file(begin + secret + end) })).to.equal(secret);
    await symlink(await file('it\n'), at('link'));
    expect(password({ PGPASSWORD_FILE: at('link') })).to.equal('it');
    expect(password({ PGPASSWORD_FILE: '', PGPASSWORD: 'it' })).to.equal('it');
  });

  it('that can be none are refused by the name of the file, and what it holds is not shown', async () => {
    await mkdir(at('folder'));
    const cases: [path: string, fault: string][] = [
      [at('nowhere'), `ENOENT: no such file or directory, stat '${at('nowhere')}'`],
      [at('folder'), `${at('folder')} is not a file`],
      ['/dev/null', '/dev/null is not a file'],
    ];
    for (const content of ['\n', 'MARKED\nMARKED\n', 'MARKED\n\n']) {
      const path = await file(content, JSON.stringify(content));
      cases.push([path, `${path} must hold one line`]);
    }
    const wide = await file(Buffer.from('\ufeffMARKED', 'utf16le'), 'wide');
    cases.push([wide, `${wide} is not in UTF-8: save it as UTF-8, in PowerShell with -Encoding utf8`]);
    for (const [path, fault] of cases)
      expect(password({ PGPASSWORD_FILE: path })).to.deep.equal([`PGPASSWORD_FILE: ${fault}`]);
    const both = 'PGPASSWORD_FILE: PGPASSWORD is set too: leave one of them out';
    expect(password({ PGPASSWORD: 'MARKED', PGPASSWORD_FILE: await file('MARKED') })).to.deep.equal([both]);
    const path = await file('mysql://MARKED\n');
    expect(password({ DATABASE_URL_FILE: path })).to.deep.equal([
      `DATABASE_URL (in ${path}) must be a URL such as postgres://user:password@host:5432/database, with one host, and special characters percent-encoded`,
    ]);
  });
});

describe('ENVIRONMENT_FILE', () => {
  const { at } = folderOf('suite');

  it('is read as Node reads --env-file, and its variables replace others', async () => {
    const ENVIRONMENT_FILE = at('environment');
    const lines = [
      ...[
        '\ufeffPGDATABASE=marked',
        '# a comment',
        '',
        '#POOL_SIZE=1',
        'MIRROR_HOST_DENYLIST=a.example, b.example',
        'LOG_LEVEL=warn',
      ],
      ...[
        'DATABASE_URL=postgres://me@db.example/x',
        'PGUSER=me & you; $HOME',
        'PGPASSWORD="MARKED # 2"',
        'OPS_HOST=::1 # ours',
      ],
      ...['LOG_LEVEL=debug', 'DOCS='],
    ];
    await writeFile(ENVIRONMENT_FILE, lines.join('\r\n'));
    const environment: NodeJS.ProcessEnv = { ENVIRONMENT_FILE, LOG_LEVEL: 'error', DOCS: 'off' };
    const read = readSettings(environment);
    // The driver reads it from there.
    expect(environment).to.include({ PGUSER: 'me & you; $HOME', PGDATABASE: 'marked' });
    if ('wrong' in read) throw new Error(read.wrong.join('\n'));
    expect(read.settings).to.include({ PGPASSWORD: 'MARKED # 2', DOCS: 'on', POOL_SIZE: 10 });
    expect(read.changed).to.deep.equal({
      ...{ OPS_HOST: '::1', DATABASE_URL: '(set)', PGPASSWORD: '(set)', LOG_LEVEL: 'debug' },
      MIRROR_HOST_DENYLIST: 'a.example, b.example',
    });
  });

  it('that is in UTF-16, as PowerShell writes it, is refused by what it is', async () => {
    const path = at('wide');
    await writeFile(path, Buffer.from('\ufeffLOG_LEVEL=warn\r\n', 'utf16le'));
    const fault = `ENVIRONMENT_FILE: ${path} cannot be read: ${path} is not in UTF-8: save it as UTF-8, in PowerShell with -Encoding utf8\n`;
    expect(await command(['campaign', 'list'], { ENVIRONMENT_FILE: path })).to.deep.equal(refused(fault, 2));
  });

  it('that cannot be read ends a command and the start in one line', async () => {
    const nowhere = at('nowhere');
    const fault = `ENVIRONMENT_FILE: ${nowhere} cannot be read: ENOENT: no such file or directory, open '${nowhere}'\n`;
    const settings = { ENVIRONMENT_FILE: nowhere };
    expect(await command(['campaign', 'list'], settings)).to.deep.equal(refused(fault, 2));
    expect(await startService(settings).done()).to.deep.equal(refused(fault, 2));
  });
});
