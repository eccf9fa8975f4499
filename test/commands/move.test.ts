import { expect } from 'chai';
import { answered, command, startCommandProcess } from '../support/commands/command.ts';
import {
  type Filling,
  type MovingMirrors,
  movingMirrors,
  onOldHost,
} from '../support/commands/moving-mirrors.ts';
import { endAll } from '../support/process/service-process.ts';

const lines = (output: string) => output.trimEnd().split('\n');
const objects = (output: string) => lines(output).map((line) => JSON.parse(line));

describe('mirror move', () => {
  let mirrors: MovingMirrors;
  const filled = async (...fillings: Filling[]) => {
    mirrors = await movingMirrors(fillings);
  };
  afterEach(async () => {
    await endAll();
    await mirrors.database.drop();
  });

  it('moves every mirror on the host, notes it once each, and finds nothing to do a second time', async () => {
    const stays = 'https://x.old.example/?u=https://old.example/';
    await filled(
      { url: 'HTTP://OLD.Example.:8080/a?{id}' },
      { url: stays },
      { url: 'https://o%6cd.example#b', owner: 2 },
    );
    expect(await mirrors.move()).to.deep.equal(
      answered('2 mirrors were moved from old.example to new.example.\n'),
    );
    expect(await mirrors.addresses()).to.deep.equal([
      'HTTP://new.example:8080/a?{id}',
      stays,
      'https://new.example#b',
    ]);
    const history = [
      {
        campaign: 1,
        owner: 1,
        before: 'HTTP://OLD.Example.:8080/a?{id}',
        after: 'HTTP://new.example:8080/a?{id}',
      },
      { campaign: 3, owner: 2, before: 'https://o%6cd.example#b', after: 'https://new.example#b' },
    ];
    expect(await mirrors.history()).to.deep.equal(history);
    expect(await mirrors.audited()).to.deep.equal([2]);

    expect(await mirrors.move()).to.deep.equal(answered('No mirror is on old.example.\n'));
    expect(await mirrors.history()).to.deep.equal(history);
    expect(await mirrors.audited()).to.deep.equal([2]);
  });

  it('--dry-run shows before and after, and changes nothing', async () => {
    await filled({ url: 'https://old.example/\u200f' }, { url: 'https://old.example/d', isDefault: true });
    const before = await mirrors.addresses();
    const { code, output, errors } = await mirrors.move('--dry-run');
    expect(lines(output)).to.deep.equal([
      'campaign 1: https://old.example/\\u{200f} → https://new.example/\\u{200f}',
      'campaign 2: https://old.example/d is not moved: it is that of a default campaign; --include-default moves it, too',
      '1 mirror would be moved from old.example to new.example; nothing was done.',
    ]);
    expect({ code, errors }).to.deep.equal({
      code: 1,
      errors: 'not every mirror would be moved: 1 refused\n',
    });
    const [first, second, sum] = objects((await mirrors.move('--dry-run', '--json')).output);
    expect(first).to.deep.equal({
      campaign_id: 1,
      outcome: 'would-move',
      before: 'https://old.example/\u200f',
      after: 'https://new.example/\u200f',
    });
    expect(second).to.include({ campaign_id: 2, outcome: 'refused' });
    expect(sum).to.include({ looked_at: 2, moved: 0, would_move: 1, refused: 1 });
    expect(await mirrors.addresses()).to.deep.equal(before);
    expect([await mirrors.history(), await mirrors.audited()]).to.deep.equal([[], []]);
  });

  it('--json tells of each mirror and, last, of all; what is not moved makes the exit code 1', async () => {
    const long = `https://old.example/${'x'.repeat(2048 - 20)}`;
    await filled(
      { url: 'https://old.example/1' },
      { url: 'https://old.example/d', isDefault: true },
      { url: long },
    );
    const longer = ['mirror', 'move', '--from-host', 'OLD.example', '--to-host', 'Longer.example', '--json'];
    const { code, output, errors } = await command(longer, mirrors.settings);
    expect(objects(output)).to.deep.equal([
      {
        campaign_id: 2,
        outcome: 'refused',
        before: 'https://old.example/d',
        after: 'https://Longer.example/d',
        because: 'default-campaign',
      },
      {
        campaign_id: 3,
        outcome: 'invalid',
        before: long,
        after: long.replace('old', 'Longer'),
        because: 'too-long',
      },
      {
        campaign_id: 1,
        outcome: 'moved',
        before: 'https://old.example/1',
        after: 'https://Longer.example/1',
      },
      { looked_at: 3, moved: 1, would_move: 0, refused: 1, invalid: 1, changed_meanwhile: 0, held: 0 },
    ]);
    expect({ code, errors }).to.deep.equal({
      code: 1,
      errors: 'not every mirror was moved: 1 refused, 1 invalid\n',
    });
    expect((await mirrors.addresses()).slice(1)).to.deep.equal(['https://old.example/d', long]);
  });

  it('--owner, --subdomains, --include-default', async () => {
    await filled(
      { url: 'https://A.old.example/', owner: 1 },
      { url: 'https://old.example/', owner: 1, isDefault: true },
      { url: 'https://a.old.example/', owner: 2 },
      { url: 'https://bold.example/', owner: 1 },
    );
    const done = await mirrors.move('--owner', '1', '--subdomains', '--include-default');
    expect(done, done.errors).to.include({ code: 0 });
    expect(await mirrors.addresses()).to.deep.equal([
      'https://A.new.example/',
      'https://new.example/',
      'https://a.old.example/',
      'https://bold.example/',
    ]);
    const nobody = await mirrors.move('--owner', '3', '--subdomains');
    expect(nobody).to.include({
      code: 0,
      output: 'No mirror of the owner 3 is on old.example or a name below it.\n',
    });
  });

  const refused: [why: string, code: number, errors: RegExp, ...args: string[]][] = [
    [
      'a target that matches itself',
      1,
      /^OLD\.Example matches old\.example, .*--to-host\n$/,
      'old.example',
      'OLD.Example',
    ],
    ['one below the host', 1, /^x\.old\.example matches /, 'old.example', 'x.old.example', '--subdomains'],
    [
      'a denied target',
      1,
      /^--to-host: MIRROR_HOST_DENYLIST denies go\.example\n$/,
      'old.example',
      'go.example',
    ],
    ['names below an IP address', 2, /leave out --subdomains\n$/, '127.0.0.1', 'new.example', '--subdomains'],
    [
      'a host with a port',
      2,
      /^error: .*--from-host.*A host such as old\.example/,
      'old.example:80',
      'new.example',
    ],
    ['a URL for a host', 2, /^error: .*--to-host.*A host such as/, 'old.example', 'https://new.example'],
  ];
  it('what cannot be moved is refused before any mirror is looked at', async () => {
    await filled({ url: 'https://old.example/' }, { url: 'http://127.0.0.1/' });
    for (const [why, code, errors, from, to, ...more] of refused) {
      const args = ['mirror', 'move', '--from-host', from ?? '', '--to-host', to ?? '', ...more];
      const done = await command(args, { ...mirrors.settings, MIRROR_HOST_DENYLIST: 'go.example' });
      expect({ code: done.code, output: done.output }, why).to.deep.equal({ code, output: '' });
      expect(done.errors).to.match(errors);
      expect(await mirrors.history()).to.deep.equal([]);
    }
  });

  it('goes on when nobody reads what it tells', async () => {
    await filled(...onOldHost(700));
    const process = startCommandProcess([...mirrors.words, '--json'], mirrors.settings);
    process.child.stdout?.destroy();
    expect(await process.ended).to.deep.equal({ code: 0, signal: null });
    expect(await mirrors.history()).to.have.length(700);
    expect(await mirrors.audited()).to.deep.equal([500, 200]);
  });
});
