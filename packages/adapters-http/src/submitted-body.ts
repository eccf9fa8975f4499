import type { Submitted } from '@campaign-mirror/domain';
import * as v from 'valibot';

/** Why a body holds no address that could be judged, in the order in which it is found. */
export type BodyFault = 'not-json' | 'required' | 'not-a-string';

const fault = <F extends BodyFault>(name: F) => name;

/** The request body (specification, section 2). Other keys are ignored. */
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

/** The address in a body, or why there is none that could be judged. A leading byte order mark is no part of it. */
export function submitted(bytes: Uint8Array): Submitted<BodyFault> {
  if (bytes.length === 0) return { unread: 'required' };
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    return { unread: 'not-json' };
  }
  const read = v.safeParse(requestBody, value, { abortEarly: true, abortPipeEarly: true });
  return read.success
    ? { address: read.output.mirror_endpoint }
    : { unread: read.issues[0].message as BodyFault };
}

/**
 * Calls `act`, and reads the bytes when what it asks of others in this turn of the event loop has gone out: they work
 * on it meanwhile, where each request of the turn would be waited for otherwise.
 */
export function readMeanwhile<T>(bytes: Uint8Array, act: (reading: Promise<Submitted<BodyFault>>) => T): T {
  const { promise: goneOut, resolve } = Promise.withResolvers<void>();
  const acting = act(goneOut.then(() => submitted(bytes)));
  setImmediate(resolve);
  return acting;
}
