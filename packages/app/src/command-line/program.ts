import { completionCommand, type OperatorAccess, operatorCommands } from '@campaign-mirror/adapters-cli';
import type { Call } from '@campaign-mirror/adapters-cli/terminal';
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { project } from '../process/project.ts';

/**
 * The ports of a call's commands. What they need is loaded when they are used, so that `--help` and usage errors are
 * answered at once.
 */
export function operatorOf(call: Call): OperatorAccess {
  const ports = async () => (await import('../operator/operator-ports.ts')).operatorPorts(call);
  return {
    acting: async (run, how) => (await ports()).acting(run, how),
    administering: async (run, how) => (await ports()).administering(run, how),
    accessKey: async () => {
      const { readCommandSettings } = await import('../operator/command-settings.ts');
      return readCommandSettings(call).settings.CAMPAIGN_MIRROR_KEY;
    },
    accessKeySetting: 'CAMPAIGN_MIRROR_KEY',
  };
}

type Made = Promise<(call: Call) => CommandUnknownOpts>;

const operators = (word: keyof typeof operatorCommands) => async (): Made => {
  const make = await operatorCommands[word]();
  return (call) => make(call, operatorOf(call));
};

/** By their first word; each is loaded when needed. */
const commands: Readonly<Record<string, () => Made>> = {
  campaign: operators('campaign'),
  mirror: operators('mirror'),
  key: operators('key'),
  history: operators('history'),
  roles: async () => (await import('../administration/roles-command.ts')).rolesCommands,
  import: operators('import'),
  export: operators('export'),
  backup: async () => (await import('../administration/administration-commands.ts')).backup,
  restore: async () => (await import('../administration/administration-commands.ts')).restore,
  migrate: async () => (await import('../administration/administration-commands.ts')).migrate,
  doctor: async () => (await import('../administration/administration-commands.ts')).doctor,
  config: async () => (await import('../administration/administration-commands.ts')).config,
  audit: operators('audit'),
  demo: async () => (await import('../administration/administration-commands.ts')).demonstrationCommands,
  completion: async () => {
    const completion = await completionCommand();
    return (call) => completion(call, () => program(call));
  },
};

/** The operator's commands; where `first` is the first word of one of them, only those that begin with it. */
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
      outputError: (text, write) => write(withoutKeys(text)),
    })
    .addHelpText(
      'after',
      '\nExit codes: 0 done; 1 refused, invalid or not found; 2 wrong usage; 3 database unavailable, or outcome unknown; ' +
        '130 stopped by Ctrl-C.',
    );
  const wanted = Object.hasOwn(commands, first) ? [first] : Object.keys(commands);
  for (const word of wanted) all.addCommand((await commands[word]?.())?.(call) as Command);
  inherit(all, call);
  all.option('--version', 'show the version').on('option:version', () => {
    void output.print(project().version);
    throw new CommanderError(0, 'campaign-mirror.version', '');
  });
  return all;
}

/** An error repeats what the user typed, except for a key in the wrong place. */
function withoutKeys(text: string): string {
  return text.replace(/cm_[0-9A-Za-z]{8,}/g, 'cm_…');
}

/** Options for every command, at any depth. */
function inherit(command: Command, call: Call): void {
  // Commander's own `help` shows the help of a group, whatever command of it is named.
  command.exitOverride().helpOption('-h, --help', 'show this help').helpCommand(false);
  command.option('--verbose', 'print more on standard error, including details of errors');
  command.on('option:verbose', () => {
    call.verbose = true;
  });
  // Commander reports a required option as missing before one that is misspelled.
  const missing = command as unknown as Record<
    'missingMandatoryOptionValue' | 'unknownOption',
    (of: unknown) => never
  >;
  const isMissing = missing.missingMandatoryOptionValue.bind(command);
  missing.missingMandatoryOptionValue = (option) => {
    const unknown = command.args.find((word) => word.startsWith('-'));
    return unknown ? missing.unknownOption(unknown) : isMissing(option);
  };
  for (const child of command.commands as Command[]) inherit(child.copyInheritedSettings(command), call);
}
