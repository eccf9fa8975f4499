import { marked, unknownKey } from '../support/secrets.ts';

// Loaded into a process of the service: at SIGCONT it throws past everything, with secrets wherever an error may have them.
process.once('SIGCONT', () => {
  const cause = Object.assign(new Error(`invalid input "${marked}"`), { code: '22P02', where: marked });
  const text = `no ${unknownKey} at postgres://me:${marked}@host/db, https://${marked}@host/`;
  throw Object.assign(new Error(text, { cause }), { detail: marked, parameters: [marked] });
});
