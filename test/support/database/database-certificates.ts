import { readFileSync } from 'node:fs';

/**
 * Made once, by `openssl ca`, to last from 2020 to 2120, so that a machine without openssl has them too. They are worth
 * nothing: the servers of the tests alone use them.
 */
const read = (name: string) => readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), 'utf8');

/** Issued the server's certificate, which is for the host 127.0.0.1, by no other name. */
export const testCa = read('test-ca');
export const serverCertificate = read('server');
export const serverKey = read('server-key');
/** Issued nothing. */
export const otherCa = read('other-ca');
