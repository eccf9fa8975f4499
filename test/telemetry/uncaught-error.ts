import { marked, unknownKey } from '../support/secrets.ts';

// A process of the service that loads this module throws an error full of secrets at SIGCONT.
process.once('SIGCONT', () => {
  const cause = Object.assign(new Error(`invalid input "${marked}"`), { code: '22P02', where: marked });
  const text = `no ${unknownKey} at postgres://me:${marked}@host/db, https://${marked}@host/`;
  throw Object.assign(new Error(text, { cause }), { detail: marked, parameters: [marked] });
});
