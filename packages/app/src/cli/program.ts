import { Command } from '@commander-js/extra-typings';
import { campaignCommands } from './campaign-commands.ts';
import { databaseCommands } from './database-commands.ts';
import { demonstrationCommands } from './demonstration-commands.ts';
import { keyCommands } from './key-commands.ts';
import { mirrorCommands } from './mirror-commands.ts';
import { verbosity } from './verbosity.ts';

/** The operator's commands. */
export function program(): Command {
  const all = new Command('campaign-mirror')
    .description(
      'Campaigns, mirrors and access keys, in the database of DATABASE_URL or the embedded one of DATA_DIR.',
    )
    .showHelpAfterError('(add --help to see what there is)')
    .addHelpText(
      'after',
      '\nExit codes: 0 done; 1 refused, invalid or not found; 2 wrong usage; 3 database away, or outcome unknown.',
    );
  const commands = [
    campaignCommands(),
    mirrorCommands(),
    keyCommands(),
    ...databaseCommands(),
    demonstrationCommands(),
  ];
  for (const command of commands) all.addCommand(command as Command);
  inherit(all);
  return all;
}

/** What holds for every command, however deep. */
function inherit(command: Command): void {
  command.exitOverride().helpOption('-h, --help', 'show this');
  command.option('--verbose', 'tell more on standard error, also of what went wrong');
  command.on('option:verbose', () => {
    verbosity.verbose = true;
  });
  for (const child of command.commands as Command[]) inherit(child.copyInheritedSettings(command));
}
