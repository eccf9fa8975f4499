import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { mirrorsToMove, moving, onOldHost } from './mirrors-to-move.ts';

describe('mirror move: the operator confirms a move, and can undo it', () => {
  const { on, filled, addresses } = mirrorsToMove();

  it('asks with the host, the number and an example; only yes moves, and an undo obeys the denylist', async () => {
    await filled(...onOldHost(3), ['https://new.example/4']);
    const before = await addresses();
    const question = 'such as that of campaign 1 to https://new.example/1?';
    for (const [answer, code] of [
      ['', 1],
      ['y', 0],
    ] as const) {
      const terminal = on.asking(moving);
      await terminal.shows(`Move 3 mirrors from old.example to new.example, ${question}`);
      expect(await addresses()).to.deep.equal(before);
      terminal.type(`${answer}\n`);
      expect((await terminal.ended).code).to.equal(code);
    }
    const settings = { ...on.settings, MIRROR_HOST_DENYLIST: 'old.example' };
    const denied = await command(['mirror', 'move', '--undo', '1', '--yes'], settings);
    expect(denied.output + denied.errors).to.include('denylist');
    expect(await addresses()).to.deep.equal(before.map((one) => one.replace('old', 'new')));
  });

  it('--undo gives the addresses back, leaves later changes, and can be undone itself', async () => {
    await filled(...onOldHost(3));
    await on.run(`${moving} --yes`);
    await on.run('mirror set 2 https://elsewhere.example/ --as-operator');
    const undo = 'mirror move --undo 1';
    await on.session(`
      $ ${undo}
      ! Move 2 mirrors back as before move 1, such as that of campaign 1 to https://old.example/1? Not moved: 1…
      [2]
      $ ${undo} --yes
      campaign 2 is not moved: it was changed since by an operator
      2 mirrors were moved back as before move 1. This is move 4: \`./campaign-mirror mirror move --undo 4\` undoes it.
      ! not every mirror was moved: 1 changed since by an operator
      [1]
      $ mirror move --undo 2 --yes
      ! there is no move 2: \`./campaign-mirror mirror moves\` shows all moves`);
    expect(await addresses()).to.deep.equal([
      ...['https://old.example/1', 'https://elsewhere.example/', 'https://old.example/3'],
    ]);
    const [entry] = await on.objects('audit --limit 1');
    expect(entry).to.deep.include({ id: 4, details: { undoes: 1, mirrors: 2, finished: true } });
    expect((await on.objects('mirror move --undo 4 --yes')).at(-1)).to.include({ moved: 2 });
    expect((await addresses())[0]).to.equal('https://new.example/1');
  });

  it('undoes the move of default campaigns, too, and says who changed the mirrors that it leaves', async () => {
    await filled(...onOldHost(3), ['https://old.example/4', 1, true]);
    const { key } = await on.object('key issue --owner 1 --name ours');
    const undone = async (words: string) => (await on.objects(`mirror move ${words} --yes`)).at(-1);
    const first = (await undone('--from-host old.example --to-host new.example --include-default')).move;
    await command(['mirror', 'set', '1', 'https://x.example/'], { ...on.settings, CAMPAIGN_MIRROR_KEY: key });
    await on.run('campaign transfer 2 --to 2');
    const second = (await undone('--from-host new.example --to-host third.example --owner 2')).move;
    const { code, output, errors } = await on.run(`mirror move --undo ${first} --yes --json`);
    expect(code).to.equal(1);
    expect(output.match(/"(by":"[^"]*|outcome":"moved)/g)?.map((one) => one.split('"').at(-1))).to.deep.equal(
      [...['key 1', `move ${second}`, 'moved', 'moved']],
    );
    expect(errors).to.equal(
      `not every mirror was moved: 1 changed since by key 1, 1 changed since by move ${second}: ` +
        `\`./campaign-mirror mirror move --undo ${second}\` first undoes move ${second}\n`,
    );
    await undone(`--undo ${second}`);
    await on.run(`mirror move --undo ${first} --yes`);
    expect((await addresses()).slice(1)).to.deep.equal([2, 3, 4].map((at) => `https://old.example/${at}`));
  });
});
