// The operator's commands. Internal: these names may change with any version.
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { OperatorAccess } from './commands/operator-access.ts';
import type { Call } from './terminal/call.ts';

export type { AccessOptions, ActContext, OperatorAccess, OperatorPorts } from './commands/operator-access.ts';
export { addJsonOption, group, leaf } from './terminal/arguments.ts';

type Commands = Promise<(call: Call, operator: OperatorAccess) => CommandUnknownOpts>;

/** The commands by their first word, loaded on demand. */
export const operatorCommands = {
  campaign: async (): Commands => (await import('./commands/campaign-commands.ts')).campaignCommands,
  mirror: async (): Commands => (await import('./commands/mirror-commands.ts')).mirrorCommands,
  key: async (): Commands => (await import('./commands/key-commands.ts')).keyCommands,
  history: async (): Commands => (await import('./commands/history-commands.ts')).historyCommands,
  import: async (): Commands => (await import('./commands/import-export.ts')).importCommand,
  export: async (): Commands => (await import('./commands/import-export.ts')).exportCommand,
  audit: async (): Commands => (await import('./commands/history-commands.ts')).auditCommand,
};
