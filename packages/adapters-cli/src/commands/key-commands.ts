import { Option } from '@commander-js/extra-typings';
import { keyArgument, lifeArgument, nameArgument, ownerArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { group, leaf } from '../terminal/leaf.ts';
import { keyList } from './key-list.ts';
import { keyRotate } from './key-rotate.ts';
import { shownOnce } from './key-shown.ts';
import type { Operator } from './operator.ts';

export function keyCommands(call: Call, operator: Operator) {
  return group('key', 'issue, list, rotate and revoke access keys', [
    issue(call, operator),
    keyList(call, operator),
    keyRotate(call, operator),
    revoke(call, operator),
  ]);
}

function issue(call: Call, operator: Operator) {
  return leaf({
    name: 'issue',
    does: 'issue an access key, which is shown once, on standard output',
    examples: [
      'key issue --owner 42 --name "my script"',
      'key issue --owner 42 --name "my script" --expires-in 90d',
    ],
  })
    .requiredOption('--owner <n>', 'the owner whose mirrors the key may set; required', ownerArgument)
    .requiredOption('--name <name>', 'what the key is for; required', nameArgument)
    .option('--expires-in <time>', 'lifetime, such as 1s, 30m, 12h or 90d; 365d by default', lifeArgument)
    .addOption(new Option('--no-expiry', 'the key never expires').conflicts('expiresIn'))
    .action(async ({ owner, name, expiresIn, expiry, json }) => {
      const life = expiry ? expiresIn : 'never';
      const issued = await operator.administering(({ keys }) =>
        keys.issue({ owner, name, ...(life && { expiresIn: life }) }),
      );
      const ends = expiry ? (expiresIn ? '' : ' It expires in 365 days.') : ' It never expires.';
      await shownOnce(call.output, json, issued, issued, `Key ${issued.id} of the owner ${owner}.${ends}`);
    });
}

function revoke(call: Call, operator: Operator) {
  return leaf({
    name: 'revoke',
    does: 'revoke an access key: a statement that begins afterwards writes nothing; one that was already waiting for a row may still write',
    examples: ['key revoke 7'],
  })
    .argument('<id>', 'the number of the key', keyArgument)
    .action(async (id, { json }) => {
      const { noSuchKey } = await import('../words/refusals.ts');
      const revoked = await operator.administering(({ keys }) => keys.revoke(id));
      if (!revoked) throw noSuchKey(id);
      await call.output.answer(json, { id, revoked: true }, `Key ${id} is revoked.`);
    });
}
