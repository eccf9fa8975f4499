import { graceArgument, keyArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { leaf } from '../terminal/leaf.ts';
import { shownOnce } from './key-shown.ts';
import type { Operator } from './operator.ts';

/** A day, in seconds. */
const usualGrace = 86_400;

export function keyRotate(call: Call, operator: Operator) {
  return leaf({
    name: 'rotate',
    does: 'replace a key: issue a successor with the same lifetime, which is shown once; the old key keeps working for a while',
    examples: ['key rotate 7', 'key rotate 7 --grace 7d', 'key rotate 7 --grace 0s'],
  })
    .argument('<id>', 'the number of the key', keyArgument)
    .option(
      '--grace <time>',
      'how long the old key keeps working, such as 0s, 30m or 7d; 24h by default',
      graceArgument,
    )
    .action(async (id, { grace = usualGrace, json }) => {
      const { notRotated } = await import('../words/refusals.ts');
      const rotation = await operator.administering(({ keys }) => keys.rotate(id, { grace }));
      if (rotation.kind !== 'rotated') throw notRotated(id, rotation);
      const { key, ownerId, oldExpiresAt } = rotation;
      await shownOnce(
        call.output,
        json,
        rotation,
        { id: rotation.id, key, replaces: id, replaced_expires_at: oldExpiresAt },
        `Key ${rotation.id} of the owner ${ownerId} replaces key ${id}, which ends at ${oldExpiresAt}.`,
      );
    });
}
