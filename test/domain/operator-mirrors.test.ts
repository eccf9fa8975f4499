import { Unavailable } from '@campaign-mirror/domain';
import { createMirror, type MirrorCreation } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { rejection } from '../support/promises.ts';
import { campaign, denying } from '../support/store/world.ts';

const denied = denying('denied.example');
const faults = {
  'https://DENIED.example./': 'denied-host',
  [`https://a.example/${'x'.repeat(2_048)}`]: 'too-long',
};

it('contract: the address — a mirror is created in the settings with the address exactly as it was submitted; one that is none is not', async () => {
  const submitted = 'HTTPS://Example.com/%7E{click_id}';
  const away = new Unavailable('away');
  let answer: Promise<MirrorCreation>;
  const created: unknown[] = [];
  const settings = {
    createMirror: (...call: unknown[]) => {
      created.push(call);
      return answer;
    },
  };
  const execute = (text: string) => createMirror(settings, denied, campaign.id, text);
  for (const kind of ['campaign-not-found', 'mirror-exists'] as const) {
    answer = Promise.resolve({ kind });
    expect(await execute(submitted)).to.deep.equal({ kind });
  }
  answer = Promise.reject(away);
  expect(await rejection(execute(submitted))).to.equal(away);
  const call = [campaign.id, submitted];
  expect(created.splice(0)).to.deep.equal([call, call, call]);
  for (const [text, because] of Object.entries(faults))
    expect(await execute(text), text).to.deep.equal({ kind: 'invalid-address', because });
  expect(created).to.deep.equal([]);
});
