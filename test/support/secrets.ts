import { accessKeyFrom } from '@campaign-mirror/domain';

/** Sent wherever a secret may be, and to be found nowhere but in what is stored of a mirror. */
export const marked = 'MARKED-SECRET';

export const unknownKey = accessKeyFrom(new Uint8Array(32).fill(77));
