import { acting } from './acting.ts';
import { group, leaf } from './leaf.ts';
import { answer } from './output.ts';

export function demonstrationCommands() {
  return group('demo', 'the demonstration set', [remove()]);
}

function remove() {
  return leaf({
    name: 'remove',
    does: 'delete the campaigns of the demonstration set and revoke its key',
    examples: ['demo remove'],
  }).action(async ({ json }) => {
    const { PostgresDemonstration } = await import('@campaign-mirror/adapters-persistence');
    const { demonstrationOwners } = await import('../demonstration.ts');
    const campaigns = await acting(({ database, act }) =>
      new PostgresDemonstration(database.orm, act).remove(demonstrationOwners),
    );
    await answer(json, { campaigns }, `The demonstration set is removed: ${campaigns} campaigns.`);
  });
}
