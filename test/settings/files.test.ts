import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { command, refused } from '../support/commands/command.ts';
import { folderOf } from '../support/process/lives.ts';
import { startService } from '../support/process/service-process.ts';

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const notUtf8 = 'is not in UTF-8: save it as UTF-8, in PowerShell with -Encoding utf8';

describe('settings: a secret may be in a file', () => {
  const { at } = folderOf('suite');
  const file = async (content: string | Buffer, name = 'secret') => {
    await writeFile(at(name), content);
    return at(name);
  };
  const password = (environment: Record<string, string>) => {
    const read = readSettings(environment);
    return 'wrong' in read ? read.wrong : read.settings.PGPASSWORD;
  };

  it('the secret is the one line of the file, without its line break', async () => {
    for (const content of [' päss word ', ' päss word \n', '\ufeff päss word \r\n'])
      expect(password({ PGPASSWORD_FILE: await file(content) })).to.equal(' päss word ');
    await symlink(await file('it\n'), at('link'));
    expect(password({ PGPASSWORD_FILE: at('link') })).to.equal('it');
  });

  it('an unusable file is named, and its content is not shown', async () => {
    await mkdir(at('folder'));
    const cases: [path: string, fault: string][] = [
      [at('nowhere'), `ENOENT: no such file or directory, stat '${at('nowhere')}'`],
      [at('folder'), `${at('folder')} is not a file`],
      ['/dev/null', '/dev/null is not a file'],
      [await file('\n', 'empty'), `${at('empty')} must hold one line`],
      [await file('MARKED\nMARKED\n', 'two'), `${at('two')} must hold one line`],
      [await file(utf16('MARKED'), 'wide'), `${at('wide')} ${notUtf8}`],
    ];
    for (const [path, fault] of cases)
      expect(password({ PGPASSWORD_FILE: path })).to.deep.equal([`PGPASSWORD_FILE: ${fault}`]);
    const both = 'PGPASSWORD_FILE: PGPASSWORD is set too: leave one of them out';
    expect(password({ PGPASSWORD: 'MARKED', PGPASSWORD_FILE: await file('MARKED') })).to.deep.equal([both]);
    const [line] = password({ DATABASE_URL_FILE: await file('mysql://MARKED\n') }) as string[];
    expect(line)
      .to.match(/^DATABASE_URL must be a URL such as /)
      .and.not.include('MARKED');
  });
});

describe('settings: ENVIRONMENT_FILE replaces variables of the environment', () => {
  const { at } = folderOf('suite');

  it('is read as Node reads --env-file', async () => {
    const ENVIRONMENT_FILE = at('environment');
    const text = `\ufeffPGDATABASE=marked
      # a comment
      #POOL_SIZE=1
      LOG_LEVEL=warn
      LOG_LEVEL=debug
      DOCS=
      DATABASE_URL=postgres://me@db.example/x
      PGUSER=me & you; $HOME
      PGPASSWORD="MARKED # 2"
      OPS_HOST=::1 # ours
      MIRROR_HOST_DENYLIST=a.example, b.example`;
    await writeFile(ENVIRONMENT_FILE, text.replaceAll(/\n */g, '\r\n'));
    const environment: NodeJS.ProcessEnv = { ENVIRONMENT_FILE, LOG_LEVEL: 'error', DOCS: 'off' };
    const read = readSettings(environment);
    // The driver reads these from the environment.
    expect(environment).to.include({ PGUSER: 'me & you; $HOME', PGDATABASE: 'marked' });
    if ('wrong' in read) throw new Error(read.wrong.join('\n'));
    expect(read.settings).to.include({ PGPASSWORD: 'MARKED # 2', DOCS: 'on', POOL_SIZE: 10 });
    expect(read.changed).to.deep.equal({
      ...{ OPS_HOST: '::1', DATABASE_URL: '(set)', PGPASSWORD: '(set)', LOG_LEVEL: 'debug' },
      MIRROR_HOST_DENYLIST: 'a.example, b.example',
    });
  });

  it('ends a start and a command in one line if it cannot be read', async () => {
    await writeFile(at('wide'), utf16('LOG_LEVEL=warn\r\n'));
    const wide = await command(['campaign', 'list'], { ENVIRONMENT_FILE: at('wide') });
    const fault = (name: string) => `ENVIRONMENT_FILE: ${at(name)} cannot be read: `;
    expect(wide).to.deep.equal(refused(`${fault('wide')}${at('wide')} ${notUtf8}\n`, 2));
    const { code, errors } = await startService({ ENVIRONMENT_FILE: at('nowhere') }).done();
    expect(code).to.equal(2);
    expect(errors).to.include(`${fault('nowhere')}ENOENT: `);
  });
});
