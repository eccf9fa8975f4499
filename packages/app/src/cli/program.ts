import { readFileSync } from 'node:fs';
import { Command, CommanderError } from '@commander-js/extra-typings';
import { auditCommand } from './audit-command.ts';
import { campaignCommands } from './campaign-commands.ts';
import { completion } from './completion-command.ts';
import { dataCommands } from './data-commands.ts';
import { databaseCommands } from './database-commands.ts';
import { demonstrationCommands } from './demonstration-commands.ts';
import { historyCommands } from './history-commands.ts';
import { keyCommands } from './key-commands.ts';
import { mirrorCommands } from './mirror-commands.ts';
import { rolesCommands } from './roles-command.ts';
import { verbosity } from './verbosity.ts';

/** The operator's commands. */
export function program(): Command {
  const all = new Command('campaign-mirror')
    .description(
      'Campaigns, mirrors and access keys, in the database of DATABASE_URL or PGHOST, or the embedded one of DATA_DIR.',
    )
    .showHelpAfterError('(add --help to see what there is)')
    .configureOutput({ outputError: (text, write) => write(withoutKeys(text)) })
    .addHelpText(
      'after',
      '\nExit codes: 0 done; 1 refused, invalid or not found; 2 wrong usage; 3 database away, or outcome unknown; ' +
        '130 stopped by Ctrl-C.',
    );
  const commands = [
    campaignCommands(),
    mirrorCommands(),
    keyCommands(),
    historyCommands(),
    rolesCommands(),
    ...dataCommands(),
    ...databaseCommands(),
    auditCommand(),
    demonstrationCommands(),
    completion(() => all),
  ];
  for (const command of commands) all.addCommand(command as Command);
  inherit(all);
  all.option('--version', 'show the version').on('option:version', () => {
    process.stdout.write(`${version()}\n`);
    throw new CommanderError(0, 'campaign-mirror.version', '');
  });
  return all;
}

/** Read when it is asked for. */
function version(): string {
  return JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')).version;
}

/** What can not be understood is repeated to the user: a key, given where none belongs, is not. */
function withoutKeys(text: string): string {
  return text.replace(/cm_[0-9A-Za-z]{8,}/g, 'cm_…');
}

/** What holds for every command, however deep. */
function inherit(command: Command): void {
  // Commander's own `help` shows the help of a group, whatever command of it is named.
  command.exitOverride().helpOption('-h, --help', 'show this').helpCommand(false);
  command.option('--verbose', 'tell more on standard error, also of what went wrong');
  command.on('option:verbose', () => {
    verbosity.verbose = true;
  });
  for (const child of command.commands as Command[]) inherit(child.copyInheritedSettings(command));
}
