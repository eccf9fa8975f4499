import { createHmac } from 'node:crypto';

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token that is signed with a secret: what an attacker makes of a key that is public. */
export function hmacToken(header: object, claims: object, secret: string): string {
  const signed = `${base64url({ alg: 'HS256', ...header })}.${base64url(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** A token with any signature. */
export function unsigned(header: object, claims: object, signature = ''): string {
  return `${base64url(header)}.${base64url(claims)}.${signature}`;
}
