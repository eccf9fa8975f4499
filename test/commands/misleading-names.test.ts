import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { commandsOn, objectsOf } from '../support/commands/commands-on.ts';
import { csv, line } from '../support/commands/csv.ts';
import { databaseOf } from '../support/process/lives.ts';

/** Turned to the right, to the left and back, with a character that has no width: what is read is not what is there. */
const name = 'Sum\u202emer\u200e \u061csale\u200b!';
const shown = 'Sum\\u{202e}mer\\u{200e} \\u{61c}sale\\u{200b}!';
const misleading = /[\u202e\u200e\u061c\u200b]/;

describe('names that an import brings in, with characters that turn the text around or have no width', () => {
  const commands = commandsOn(databaseOf('test'));
  const importing = (...lines: string[]) => command(['import', '-'], commands.settings, csv(...lines));

  beforeEach(async () => {
    const { code, errors } = await importing(
      line({ id: '1', owner_id: '7', is_default: 'true', name, target_url: 'https://a.example/' }),
      line({ id: '2', owner_id: '7' }),
    );
    expect(code, errors).to.equal(0);
  });

  const another = line({ owner_id: '8', is_default: 'true', name });
  const showing: Record<string, () => Promise<{ output: string; errors: string }>> = {
    'campaign list': () => commands.run('campaign', 'list'),
    'campaign show': () => commands.run('campaign', 'show', '1'),
    'what set-default refuses': () => commands.run('campaign', 'set-default', '2'),
    'the question of delete, asked of nobody': () => commands.run('campaign', 'delete', '1'),
    'campaign delete': () => commands.run('campaign', 'delete', '1', '--yes'),
    'a bad line of an import, of a campaign that is there': () =>
      importing(line({ owner_id: '7', is_default: 'true' })),
    'a bad line of an import, of another line': () => importing(another, another),
    'key list': async () => {
      await commands.run('key', 'issue', '--owner', '7', '--name', name);
      return commands.run('key', 'list');
    },
    audit: async () => {
      await commands.run('campaign', 'create', '--owner', '9', '--name', name);
      return commands.run('audit');
    },
  };
  for (const [what, show] of Object.entries(showing)) {
    it(`${what}: shown by their code points`, async () => {
      const { output, errors } = await show();
      expect(output + errors)
        .to.include(shown)
        .and.not.to.match(misleading);
    });
  }

  it('the question of delete in a terminal: shown by their code points', async () => {
    const terminal = commands.inTerminal('campaign', 'delete', '1');
    await terminal.shows(`Delete the default campaign 1 "${shown}"`);
    terminal.type('n\r');
    await terminal.ended;
    expect(terminal.output).not.to.match(misleading);
  });

  it('JSON: escaped, and the name when it is parsed', async () => {
    for (const words of [['campaign', 'list'], ['campaign', 'show', '1'], ['export']]) {
      const { output } = await commands.run(...words, '--json');
      expect(output).not.to.match(misleading);
      expect(objectsOf(output)[0]).to.have.property('name', name);
    }
  });

  it('CSV: the name as it is, so that an import brings it back', async () => {
    const { output } = await commands.run('export');
    expect(output).to.include(`1,${name},7,true,`);
  });
});
