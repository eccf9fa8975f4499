import { accessKeyFrom } from '@campaign-mirror/domain';

/** A text that tests send in place of secrets. Only stored addresses may contain it. */
export const marked = 'MARKED-SECRET';

export const unknownKey = accessKeyFrom(new Uint8Array(32).fill(77));
