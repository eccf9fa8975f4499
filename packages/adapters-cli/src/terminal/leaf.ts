import { Command } from '@commander-js/extra-typings';

/** A command that acts: it has `--json`, and examples in its help, each of them without `./campaign-mirror`. */
export function leaf(name: string, does: string, examples: readonly string[]) {
  const shown = examples.map((example) => `  ./campaign-mirror ${example}`).join('\n');
  return new Command(name)
    .description(does)
    .option('--json', 'answer in JSON: one object, or one on each line')
    .addHelpText('afterAll', `\nExamples:\n${shown}`);
}

/** A group of commands, such as `campaign`. */
export function group(name: string, about: string, commands: readonly { name(): string }[]) {
  const parent = new Command(name).description(about);
  for (const command of commands) parent.addCommand(command as Command);
  return parent;
}
