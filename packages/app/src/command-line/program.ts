import { heedJson, type OperatorAccess, operatorCommands } from '@campaign-mirror/adapters-cli';
import {
  Call,
  ClearError,
  type CommandInput,
  exitCodes,
  Interrupted,
  printableLines,
} from '@campaign-mirror/adapters-cli/terminal';
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { errorFields, withoutSecrets } from '../logging/error-fields.ts';
import { project, versionOf } from '../process/project.ts';

/** Runs the command line with these words; resolves with the exit code. Never rejects, and calls share no state. */
export async function run(words: readonly string[], input: CommandInput): Promise<number> {
  const call = new Call(input);
  try {
    // Node has put U+FFFD in the place of such bytes: another address would be set.
    if (words.join('').includes('\ufffd')) throw new ClearError('an argument is not in UTF-8', 'usage');
    const line = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
    const commands = await program(call, line[0]);
    await commands.parseAsync(line, { from: 'user' });
    await call.output.allWritten();
    return call.exitCode;
  } catch (error) {
    return await report(error, call);
  }
}

/** Reports the error in one line, and with `--verbose` the details; returns the exit code. */
async function report(error: unknown, { output, verbose }: Call): Promise<number> {
  // Commander has printed it.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof Interrupted) {
    output.note(error.message);
    return error.exitCode;
  }
  const isClear = error instanceof ClearError;
  output.note(isClear ? withoutSecrets(error.message) : 'This is a bug: please report what follows.');
  if (verbose || !isClear) output.note(JSON.stringify(errorFields(error), undefined, 2));
  return exitCodes[isClear ? error.kind : 'refused'];
}

const database = () => import('../operator/command-database.ts');
const settings = () => import('../settings/read-settings.ts');

/** The ports of a call's commands, loaded when they are used, so that `--help` and usage errors are answered at once. */
const operatorOf = (call: Call): OperatorAccess => ({
  acting: async (run, options) => (await database()).acting(call)(run, options),
  accessKey: async () => (await settings()).readCommandSettings(call).CAMPAIGN_MIRROR_KEY,
  accessKeySetting: 'CAMPAIGN_MIRROR_KEY',
});

const administration = () => import('../administration/administration-commands.ts');
const { audit, ...others } = operatorCommands;

type Maker = (call: Call, operator: OperatorAccess) => CommandUnknownOpts;
/** The commands by their first word, in the order of the help, loaded on demand. */
const commands: Readonly<Record<string, () => Promise<Maker>>> = {
  ...others,
  migrate: async () => (await administration()).migrate,
  doctor: async () => (await administration()).doctor,
  audit,
};

/** The operator's commands. If `first` is the first word of one of them, only those that begin with it. */
export async function program(call: Call, first = ''): Promise<Command> {
  const { output } = call;
  const all = new Command('campaign-mirror')
    .description(
      'Campaigns, mirrors and access keys, in the database of DATABASE_URL or PGHOST, or the embedded one in DATA_DIR.',
    )
    .showHelpAfterError('(--help shows the commands and options)')
    .configureOutput({
      writeOut: (text) => void output.write(text),
      writeErr: (text) => void call.stderr.write(text),
      // An error repeats what the user typed, except for a key in the wrong place.
      outputError: (text, write) => write(printableLines(withoutSecrets(text))),
    })
    .addHelpText(
      'after',
      '\nExit codes: 0 done; 1 refused, invalid or not found; 2 wrong usage; 3 database unavailable, or outcome unknown; ' +
        '130 stopped by Ctrl-C.',
    );
  for (const [word, make] of Object.entries(commands))
    if (word === first || !Object.hasOwn(commands, first))
      all.addCommand((await make())(call, operatorOf(call)));
  inherit(all, call);
  heedJson(all, call);
  all.option('--version', 'show the version').on('option:version', () => {
    void output.print(versionOf(project()));
    throw new CommanderError(0, 'campaign-mirror.version', '');
  });
  return all;
}

/** Adds the options that every command has, at any depth. */
function inherit(command: Command, call: Call): void {
  // Commander's own `help` shows the help of a group, whatever command of it is named.
  command.exitOverride().helpOption('-h, --help', 'show this help').helpCommand(false);
  command.option('--verbose', 'print the details of an error, too');
  command.on('option:verbose', () => {
    call.verbose = true;
  });
  for (const option of command.options.filter(({ required }) => required)) {
    let isGiven = false;
    command.on(`option:${option.name()}`, (value: string) => {
      // As of a variable that is not set: passwords would be shown instead of written to a folder.
      if (value === '') command.error(`error: option '${option.flags}' argument is empty`);
      // The first value would be dropped without a word, such as one of two blocked hosts.
      if (isGiven) command.error(`error: option '${option.flags}' is given twice`);
      isGiven = true;
    });
  }
  for (const child of command.commands as Command[]) inherit(child.copyInheritedSettings(command), call);
}
