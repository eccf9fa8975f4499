import { group, leaf } from '@campaign-mirror/adapters-cli';
import type { Call } from '@campaign-mirror/adapters-cli/terminal';

export function demonstrationCommands(call: Call) {
  const create = leaf(
    'create',
    'create the demonstration set if there is no data at all, and show calls to try; its key is shown once',
    ['demo create', 'demo create --base https://mirror.example.com'],
  )
    .option('--base <url>', 'base URL of the service in the calls shown', 'http://127.0.0.1:3000')
    .action(async ({ base, json }) => {
      const { createDemonstration, firstCalls } = await import('../operator/demonstration.ts');
      const made = await createDemonstration(call);
      await call.output.answer(json, made, firstCalls(made, base));
    });
  return group('demo', 'create the demonstration set', [create]);
}
