export type {
  AccessOptions,
  ActContext,
  AdministrationPorts,
  OperatorAccess,
  OperatorPorts,
} from './commands/operator.ts';
export type { Undone, UndoneBy } from './commands/words.ts';
export { group, leaf, numberRange } from './terminal/arguments.ts';

/** The commands by their first word, each loaded on demand. */
export const operatorCommands = {
  campaign: async () => (await import('./commands/campaign-commands.ts')).campaignCommands,
  mirror: async () => (await import('./commands/mirror-commands.ts')).mirrorCommands,
  key: async () => (await import('./commands/key-commands.ts')).keyCommands,
  history: async () => (await import('./commands/history-commands.ts')).historyCommands,
  import: async () => (await import('./import-export/import-export-commands.ts')).importCommand,
  export: async () => (await import('./import-export/import-export-commands.ts')).exportCommand,
  audit: async () => (await import('./commands/history-commands.ts')).auditCommand,
};
