import { addJsonOption, leaf, type OperatorAccess, operatorCommands } from '@campaign-mirror/adapters-cli';
import {
  Call,
  ClearError,
  type CommandIO,
  exitCodes,
  Interrupted,
  printable,
  printableLines,
} from '@campaign-mirror/adapters-cli/terminal';
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { errorFields, withoutSecrets } from '../logging/log-events.ts';
import { project, versionText } from '../process/version.ts';

/** Runs one call of the command line. Resolves with the exit code. Never rejects; calls share no state. */
export async function run(words: readonly string[], input: CommandIO): Promise<number> {
  const call = new Call(input);
  try {
    // Node replaces invalid bytes by U+FFFD: another address would be set.
    if (words.join('').includes('\ufffd')) throw new ClearError('an argument is not in UTF-8', 'usage');
    const first = words.find((word) => !word.startsWith('-'));
    await (await program(call, first)).parseAsync(words, { from: 'user' });
    await call.output.allWritten();
    return call.exitCode;
  } catch (error) {
    return await report(error, call);
  }
}

/** Reports the error in one line, with `--verbose` also its details. Returns the exit code. */
async function report(error: unknown, { output, verbose }: Call): Promise<number> {
  // Commander has printed its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof Interrupted) {
    output.notice(error.message);
    return error.exitCode;
  }
  const isClear = error instanceof ClearError;
  output.notice(isClear ? withoutSecrets(error.message) : 'This is a bug: please report what follows.');
  if (verbose || !isClear) output.notice(JSON.stringify(errorFields(error), undefined, 2));
  return exitCodes[isClear ? error.kind : 'refused'];
}

const database = () => import('../administration/operator-database.ts');
const settings = () => import('../settings/read-settings.ts');

/** The ports of a call's commands. They load when a command runs: `--help` and usage errors are answered at once. */
const operatorOf = (call: Call): OperatorAccess => ({
  withPorts: async (run, options) => (await database()).withPorts(call)(run, options),
  accessKey: async () => (await settings()).readCommandSettings(call).CAMPAIGN_MIRROR_KEY,
  accessKeySetting: 'CAMPAIGN_MIRROR_KEY',
});

function migrate(call: Call) {
  return leaf(
    'migrate',
    'bring the schema up to date and give the roles that exist their rights, as the owner of the schema',
    ['migrate', 'migrate --json'],
  ).action(async () => (await database()).migrateAsOwner(call));
}

function doctor(call: Call) {
  return leaf(
    'doctor',
    'check settings, database, rights, versions, connections and disk, and say what to do; changes nothing',
    ['doctor', 'doctor --json'],
  ).action(async () => {
    const { examine } = await import('../administration/doctor.ts');
    for await (const { check, state, finding, advice } of examine(call)) {
      let text = `${state.padEnd(8)} ${check.padEnd(11)} ${printable(finding)}`;
      if (advice !== null) text += `\n${' '.repeat(21)}${printable(advice)}`;
      await call.output.answer({ check, state, finding, advice }, text);
      if (state !== 'problem') continue;
      if (check === 'database') call.exitCode = exitCodes.unavailable;
      else call.exitCode ||= exitCodes.refused;
    }
  });
}

const { audit, ...others } = operatorCommands;

type Maker = (call: Call, operator: OperatorAccess) => CommandUnknownOpts;
/** The commands by their first word, in the order of the help, loaded on demand. */
const commands: Readonly<Record<string, () => Promise<Maker>>> = {
  ...{ ...others, migrate: async () => migrate, doctor: async () => doctor, audit },
};

/** The operator's commands. If `first` is the first word of a command, only the commands that begin with it. */
export async function program(call: Call, first = ''): Promise<Command> {
  const { output } = call;
  const all = new Command('campaign-mirror')
    .description(
      'Campaigns, mirrors and access keys, in the database of DATABASE_URL or PGHOST, or the embedded one.',
    )
    .configureOutput({
      writeOut: (text) => void output.write(text),
      writeErr: (text) => void call.stderr.write(text),
    })
    .addHelpText(
      'after',
      '\nExit codes: 0 done; 1 refused, invalid or not found; 2 wrong usage; 3 database unavailable, or outcome ' +
        'unknown; 130 stopped by Ctrl-C.',
    );
  for (const [word, make] of Object.entries(commands))
    if (word === first || !Object.hasOwn(commands, first))
      all.addCommand((await make())(call, operatorOf(call)));
  addJsonOption(all, call);
  inherit(all, call);
  all.option('-V, --version', 'show the version').on('option:version', () => {
    void output.print(versionText(project()));
    throw new CommanderError(0, 'campaign-mirror.version', '');
  });
  return all;
}

function inherit(command: Command, call: Call): void {
  command.exitOverride().helpOption('-h, --help', 'show this help');
  command.option('--verbose', 'also print the details of an error').on('option:verbose', () => {
    call.verbose = true;
  });
  // An error repeats the input of the user, but not a key in a wrong place.
  const outputError = (text: string, write: (line: string) => void) =>
    write(`${printableLines(withoutSecrets(usageError(text, command)))}\n`);
  command.configureOutput({ ...command.configureOutput(), outputError });
  for (const option of command.options.filter(({ required }) => required)) {
    let isGiven = false;
    command.on(`option:${option.name()}`, (value: string) => {
      // An unset variable gives an empty value: passwords would be printed instead of written to a folder.
      if (value === '') command.error(`error: option '${option.flags}' argument is empty`);
      // Commander would ignore the first value, such as one of two blocked hosts.
      if (isGiven && !option.variadic) command.error(`error: option '${option.flags}' is given twice`);
      isGiven = true;
    });
  }
  for (const child of command.commands as Command[]) inherit(child.copyInheritedSettings(command), call);
}

/** Commander's error in one line, with what was probably meant, and how to get help. */
function usageError(text: string, command: CommandUnknownOpts): string {
  let line = text
    .trim()
    .replace(/^error: |\.$/g, '')
    .replace(/\.?\n/g, ' ');
  line = line.replace(
    /^command-argument value ('.*') is invalid for argument ('.*')\./,
    'argument $2: $1 is invalid.',
  );
  const path: string[] = [];
  for (let one: CommandUnknownOpts | null = command; one?.parent; one = one.parent) path.unshift(one.name());
  const [, kind, typed = ''] = /^unknown (option|command) '([^'=]+)/.exec(line) ?? [];
  const meant = command.options.flatMap(({ long }) => (long?.startsWith(typed) ? long : []));
  if (kind && meant.length > 0 && !line.includes('(Did')) line += ` (Did you mean ${meant.join(' or ')}?)`;
  return `${line}: \`${['./campaign-mirror', ...path].join(' ')} --help\` shows how to use it`;
}
