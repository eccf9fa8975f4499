import { createHmac, hash, pbkdf2Sync, randomBytes } from 'node:crypto';

/** PostgreSQL's default. */
const iterations = 4_096;

/**
 * What a PostgreSQL server stores of a password (RFC 5802, section 3; RFC 7677), so that the password itself is neither
 * sent nor logged. The password has to be ASCII.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = hash('sha256', keyed('Client Key'), 'base64');
  const serverKey = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
