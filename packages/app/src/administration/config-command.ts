import { leaf } from '@campaign-mirror/adapters-cli';
import type { Call } from '@campaign-mirror/adapters-cli/terminal';
import { environmentExample, settingsHelp } from '../settings/shown.ts';

export function config(call: Call) {
  return leaf({
    name: 'config',
    does: 'show which settings are in force, where each comes from, and which database is used; hides secrets',
    examples: ['config', 'config --json', 'config --example'],
    explains: settingsHelp,
  })
    .option('--example', 'print every setting with its default, as .env.example has them')
    .action(async ({ json, example }) => {
      if (example)
        return call.output.answer(json, { example: environmentExample() }, environmentExample().trimEnd());
      const { showConfiguration } = await import('./configuration.ts');
      await showConfiguration(call, json);
    });
}
