import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
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
