import type { AccessKey, AccessKeyId } from '@campaign-mirror/domain';
import { ClearError } from '../terminal/clear-error.ts';
import type { Output } from '../terminal/output.ts';

interface Issued {
  readonly id: AccessKeyId;
  readonly key: AccessKey;
}

/**
 * Shows a new key, which cannot be shown again: alone on standard output, or in the JSON object.
 * @throws ClearError when the key could not be written
 */
export async function shownOnce(
  output: Output,
  json: boolean | undefined,
  { id, key }: Issued,
  object: object,
  about: string,
): Promise<void> {
  if (!json) output.tell(`${about} It cannot be shown again:`);
  await output.answer(json, object, key);
  if (await output.isTaken()) return;
  throw new ClearError(
    `key ${id} was issued, but standard output did not take it, and it cannot be shown again: ` +
      `revoke it by \`./campaign-mirror key revoke ${id}\`, or replace it by \`./campaign-mirror key rotate ${id} --grace 0s\``,
  );
}
