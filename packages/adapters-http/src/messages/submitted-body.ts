import * as v from 'valibot';
import type { BodyFault } from '../answers/replies.ts';

const fault = <F extends BodyFault>(name: F) => name;

/** The request body (contract: the call). Other keys are ignored. */
export const requestBody = v.object(
  {
    mirror_endpoint: v.pipe(
      v.nonNullish(v.unknown(), fault('required')),
      v.string(fault('not-a-string')),
      v.check((text) => text.trim() !== '', fault('required')),
    ),
  },
  fault('required'),
);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The address in a body, or why there is none. A leading byte order mark is not part of the body. */
export function submitted(bytes: Uint8Array): { address?: string; fault?: BodyFault } {
  if (bytes.length === 0) return { fault: 'required' };
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    return { fault: 'not-json' };
  }
  const read = v.safeParse(requestBody, value, { abortEarly: true, abortPipeEarly: true });
  return read.success
    ? { address: read.output.mirror_endpoint }
    : { fault: read.issues[0].message as BodyFault };
}
