import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { command, refused } from '../support/commands/command.ts';
import { folderOf } from '../support/process/lives.ts';

describe('secrets in files', () => {
  const { at } = folderOf('suite');

  async function file(content: string, name = 'secret'): Promise<string> {
    await writeFile(at(name), content);
    return at(name);
  }
  const password = (environment: Record<string, string>) => {
    const read = readSettings(environment);
    return 'wrong' in read ? read.wrong : read.settings.PGPASSWORD;
  };

  it('are what the file holds, but for the line break at its end; it may lie behind a link', async () => {
    for (const secret of ['it', ' päss word '])
      for (const end of ['', '\n', '\r\n'])
        expect(password({ PGPASSWORD_FILE: await file(secret + end) })).to.equal(secret);
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
    for (const [path, fault] of cases)
      expect(password({ PGPASSWORD_FILE: path })).to.deep.equal([`PGPASSWORD_FILE: ${fault}`]);
    const both = 'PGPASSWORD_FILE: PGPASSWORD is set too: leave one of them out';
    expect(password({ PGPASSWORD: 'MARKED', PGPASSWORD_FILE: await file('MARKED') })).to.deep.equal([both]);
    const path = await file('mysql://MARKED\n');
    expect(password({ DATABASE_URL_FILE: path })).to.deep.equal([
      `DATABASE_URL (in ${path}) must be a URL such as postgres://user:password@host:5432/database, with one host, and what is special in it percent-encoded`,
    ]);
  });
});

describe('ENVIRONMENT_FILE', () => {
  const { at } = folderOf('suite');
  let path: string;
  before(() => {
    path = at('environment');
  });

  /** What `config` shows of settings that the file sets. */
  async function shown(content: string | Buffer, ...names: string[]) {
    await writeFile(path, content);
    const { output, errors } = await command(['config', '--json'], {
      ENVIRONMENT_FILE: path,
      PGUSER: 'other',
    });
    expect(errors).to.equal('');
    const { settings } = JSON.parse(output);
    return names.map((name) => settings.find(({ setting }: { setting: string }) => setting === name).value);
  }

  it('is read as it stands: a blank, &, ;, $, # and quotes inside are parts of a value', async () => {
    const user = `a & b; c $HOME #d 'e' "f" %g {h}=`;
    const text = `# a comment\n\n#PGPORT=1\nPGHOST=db.example\r\nMIRROR_HOST_DENYLIST=a.example, b.example\nPGUSER=first\nPGUSER=${user}\r\nDOCS=`;
    expect(await shown(text, 'MIRROR_HOST_DENYLIST', 'PGUSER', 'PGPORT', 'DOCS')).to.deep.equal([
      ...['a.example, b.example', user, null, 'on'],
    ]);
  });

  it('stops the command at a line that somebody else could read differently, and does not show it', async () => {
    const lines = [
      `A="MARKED"|A='MARKED'|A=MARKED\\|A=MAR\\KED|A= MARKED|A=MARKED |A=MAR\tKED|A =MARKED| A=MARKED|1A=MARKED`,
      'MARKED|; MARKED|# MARKED\\|export A=MARKED|=MARKED|\u{feff}A=MARKED|A=MAR\rKED|A=MAR\0KED',
    ].flatMap((some) => some.split('|'));
    for (const line of lines) {
      await writeFile(path, `B=1\n${line}\nC=2\n`);
      const { code, output, errors } = await command(['config'], { ENVIRONMENT_FILE: path });
      expect({ code, output }, line).to.deep.equal({ code: 2, output: '' });
      expect(errors, line)
        .to.match(/^\S+\/environment, line 2: write NAME=value, .*\n$/)
        .and.not.to.include('MARKED');
    }
  });

  it('stops the command if the file cannot be read', async () => {
    const nowhere = at('nowhere');
    const fault = `ENOENT: no such file or directory, open '${nowhere}'`;
    expect(await command(['config'], { ENVIRONMENT_FILE: nowhere })).to.deep.equal(
      refused(`ENVIRONMENT_FILE: ${nowhere} cannot be read: ${fault}\n`, 2),
    );
    await writeFile(path, Buffer.from('A=\xff\n', 'latin1'));
    expect((await command(['config'], { ENVIRONMENT_FILE: path })).code).to.equal(2);
  });
});
