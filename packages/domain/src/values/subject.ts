import type { Branded } from './branded.ts';
import { type AccessKeyId, accessKeyId } from './identifiers.ts';

/**
 * Who changes a mirror, as the history shows it: a kind, and a name within it, such as `key:17` or `jwt:client-4`; or
 * `operator` (contract: history).
 */
export type Subject = Branded<string, 'Subject'>;

/** The operator. The audit names the person. */
export const operatorSubject = 'operator' as Subject;

const keyKind = 'key';
const wellFormedKind = /^[a-z][a-z0-9-]{0,19}$/;
/** What PostgreSQL stores and a log line shows as it is. */
const wellFormedName = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u;

/** The subject of a caller with this access key. The write proves that the key is valid. */
export function keySubject(id: AccessKeyId): Subject {
  return `${keyKind}:${id}` as Subject;
}

/**
 * The subject of a caller that another identity than ours knows; no write proves it. `kind`: 1 to 20 characters of
 * `a-z`, `0-9` and `-`, the first a letter, neither `key` nor `operator`. `name`: 1 to 200 characters on one line, no
 * control characters. Undefined if either is invalid.
 */
export function subject(kind: string, name: string): Subject | undefined {
  if (kind === keyKind || kind === operatorSubject) return undefined;
  return wellFormedKind.test(kind) && wellFormedName.test(name) ? (`${kind}:${name}` as Subject) : undefined;
}

/** Whether this is the subject of a caller, as the two above make it. */
export function isCallersSubject(text: string): text is Subject {
  const { kind, name = '' } = partsOf(text as Subject);
  return kind === keyKind ? accessKeyId(name) !== undefined : subject(kind, name) !== undefined;
}

/** The parts of a subject; no name for the operator. */
export function partsOf(subject: Subject): { readonly kind: string; readonly name: string | undefined } {
  const colon = subject.indexOf(':');
  if (colon === -1) return { kind: subject, name: undefined };
  return { kind: subject.slice(0, colon), name: subject.slice(colon + 1) };
}

/** The number of the subject's access key; undefined for other kinds. */
export function accessKeyOf(subject: Subject): AccessKeyId | undefined {
  const { kind, name } = partsOf(subject);
  return kind === keyKind && name !== undefined ? accessKeyId(name) : undefined;
}
