// The service's own, no promise: the operator's commands.
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { OperatorAccess } from './commands/ports.ts';
import type { Call } from './terminal/call.ts';

export type { AccessOptions, ActContext, OperatorAccess, OperatorPorts } from './commands/ports.ts';
export { group, heedJson, leaf } from './terminal/arguments.ts';

type Commands = Promise<(call: Call, operator: OperatorAccess) => CommandUnknownOpts>;

/** The commands by their first word, each loaded on demand. */
export const operatorCommands = {
  campaign: async (): Commands => (await import('./commands/campaign-commands.ts')).campaignCommands,
  mirror: async (): Commands => (await import('./commands/mirror-commands.ts')).mirrorCommands,
  key: async (): Commands => (await import('./commands/key-commands.ts')).keyCommands,
  history: async (): Commands => (await import('./commands/history-commands.ts')).historyCommands,
  import: async (): Commands => (await import('./import-export/import-export-commands.ts')).importCommand,
  export: async (): Commands => (await import('./import-export/import-export-commands.ts')).exportCommand,
  audit: async (): Commands => (await import('./commands/history-commands.ts')).auditCommand,
};
