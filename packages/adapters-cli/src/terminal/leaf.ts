import { Command } from '@commander-js/extra-typings';

export interface Leaf {
  readonly name: string;
  readonly does: string;
  /** Calls, without `./campaign-mirror`, each of which can be understood: a test reads them. */
  readonly examples: readonly string[];
  /** More than one line can say, for its help. */
  readonly explains?: () => string;
}

/** A command that does something: it has `--json`, and examples in its help. */
export function leaf({ name, does, examples, explains }: Leaf) {
  const shown = examples.map((example) => `  ./campaign-mirror ${example}`.trimEnd()).join('\n');
  return new Command(name)
    .description(does)
    .option('--json', 'answer in JSON: one object, or one on each line')
    .addHelpText('after', () => `${explains ? `\n${explains()}` : ''}\nExamples:\n${shown}`);
}

/** Commands of one kind, such as `campaign`. */
export function group(name: string, about: string, commands: readonly { name(): string }[]) {
  const parent = new Command(name).description(about);
  for (const command of commands) parent.addCommand(command as Command);
  return parent;
}
