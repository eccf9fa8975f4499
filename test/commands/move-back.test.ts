import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('mirror move: the question before it, and the way back', () => {
  const database = databaseOf('test');
  const on = commandsOn(database);
  const hosts = '--from-host old.example --to-host new.example';
  const addresses = async () => (await on.objects('mirror list')).map(({ target_url }) => target_url);
  beforeEach(async () => {
    for (const [at, host] of ['old', 'old', 'old', 'new'].entries()) {
      await on.object(`campaign create --owner ${at + 1}`);
      await on.object(`mirror create ${at + 1} --target-url https://${host}.example/${at + 1}`);
    }
  });

  it('in a terminal it asks, with the host, the number and an example; only yes moves', async () => {
    const before = await addresses();
    for (const [answer, code, is] of [
      ['n', 1, before],
      ['y', 0, before.map((one) => one.replace('old', 'new'))],
    ] as const) {
      const terminal = on.inTerminal(`mirror move ${hosts}`);
      await terminal.shows(
        'Move 3 mirrors from old.example to new.example, such as that of campaign 1 to https://new.example/1?',
      );
      expect(terminal.screen).not.to.include('spelling');
      expect(await addresses()).to.deep.equal(before);
      terminal.type(`${answer}\n`);
      expect((await terminal.ended).code).to.equal(code);
      expect(await addresses()).to.deep.equal(is);
    }
  });

  it('without a terminal it needs --yes; a host on which no mirror is may be misspelt', async () => {
    const before = await addresses();
    await on.session(`
      $ mirror move --from-host old.example --to-host nwe.example
      ! Move 3 mirrors from old.example to nwe.example, such as that of campaign 1 to https://nwe.example/1? No mirror is on nwe.example yet: check its spelling.
      ! There is no terminal to ask on: add --yes to confirm.
      [2]
      $ mirror move --from-host none.example --to-host nwe.example
      No mirror is on none.example.
      $ mirror move --from-host old.example --to-host nwe.example --owner 3 --dry-run
      campaign 3: https://old.example/3 → https://nwe.example/3
      1 mirror would be moved from old.example to nwe.example; nothing was done.
      ! No mirror of the owner 3 is on nwe.example yet: check its spelling.`);
    expect(await addresses()).to.deep.equal(before);
  });

  it('--undo gives back what the move took, unless it was changed since; it is a move, too', async () => {
    await on.run(`mirror move ${hosts} --yes`);
    await on.run('mirror set 2 https://elsewhere.example/ --as-operator');
    const [, { id: move }] = await on.objects('audit --limit 2');
    const undo = `mirror move --undo ${move}`;
    await on.session(`
      $ ${undo}
      ! Move 2 mirrors back as before move ${move}, such as that of campaign 1 to https://old.example/1? 1 mirror was changed since, and will stay.
      ! There is no terminal to ask on: add --yes to confirm.
      [2]
      $ ${undo} --yes
      campaign 2: https://new.example/2 is not moved: the campaign or its mirror was changed after the move
      2 mirrors were moved back as before move ${move}. This is move ${move + 2}: \`./campaign-mirror mirror move --undo ${move + 2}\` undoes it.
      ! not every mirror was moved: 1 changed since
      [1]`);
    const isBack = ['old.example/1', 'elsewhere.example/', 'old.example/3', 'new.example/4'];
    expect(await addresses()).to.deep.equal(isBack.map((one) => `https://${one}`));
    const [noted] = await on.objects('audit --limit 1');
    expect(noted).to.deep.include({
      id: move + 2,
      act: 'mirrors-moved',
      details: { undoes: move, mirrors: 2 },
    });
    expect((await on.run(`${undo} --yes`)).code, 'changed since, all of them').to.equal(1);
    expect((await on.objects(`mirror move --undo ${move + 2} --yes`)).at(-1)).to.include({ moved: 2 });
    await on.session(`
      $ mirror move --undo 1 --yes
      ! there is no move 1: \`./campaign-mirror audit\` shows the numbers of moves
      $ mirror move --undo 1 --owner 3
      ! either --from-host and --to-host are needed, or --undo alone
      [2]`);
    expect((await addresses())[0]).to.equal('https://new.example/1');
  });
});
