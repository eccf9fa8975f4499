import { createMirror } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { campaign, denying } from '../support/store/world.ts';

it('contract: the address — a new mirror gets the address as submitted, and an invalid one is not created', async () => {
  const submitted = 'HTTPS://Example.com/%7E{click_id}';
  const calls: unknown[] = [];
  const settings = {
    createMirror: async (...call: unknown[]) => {
      calls.push(call);
      return { kind: 'mirror-exists' as const };
    },
  };
  const execute = (text: string) => createMirror(settings, denying('denied.example'), campaign.id, text);
  expect(await execute(submitted)).to.deep.equal({ kind: 'mirror-exists' });
  const refused = { kind: 'invalid-address', because: 'denied-host' };
  expect(await execute('https://DENIED.example./')).to.deep.equal(refused);
  expect(calls).to.deep.equal([[campaign.id, submitted]]);
});
