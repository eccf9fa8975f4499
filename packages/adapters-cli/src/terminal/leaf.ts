import { Command } from '@commander-js/extra-typings';

/** What the help says about a command. */
export interface Leaf {
  readonly name: string;
  readonly does: string;
  /** Example calls, without `./campaign-mirror`; a test parses each of them. */
  readonly examples: readonly string[];
  /** Further text for the help, after the one-line summary. */
  readonly explains?: () => string;
}

/** A command that acts: it has `--json`, and examples in its help. */
export function leaf({ name, does, examples, explains }: Leaf) {
  const shown = examples.map((example) => `  ./campaign-mirror ${example}`).join('\n');
  return new Command(name)
    .description(does)
    .option('--json', 'answer in JSON: one object, or one on each line')
    .addHelpText('after', () => `${explains ? `\n${explains()}` : ''}\nExamples:\n${shown}`);
}

/** A group of commands, such as `campaign`. */
export function group(name: string, about: string, commands: readonly { name(): string }[]) {
  const parent = new Command(name).description(about);
  for (const command of commands) parent.addCommand(command as Command);
  return parent;
}
