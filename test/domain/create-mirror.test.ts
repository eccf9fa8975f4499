import {
  type CampaignId,
  CreateMirror,
  hostDenylist,
  longestAddress,
  type MirrorAddress,
  type MirrorCreation,
  Unavailable,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import { rejection } from '../support/faults.ts';
import { mirror } from '../support/store/fake-ports.ts';

const campaign = 42 as CampaignId;
const submitted = 'HTTPS://Example.com/%7E{click_id}';

describe('the mirror of a campaign is created in its settings', () => {
  let created: [CampaignId, MirrorAddress][];
  let answer: () => Promise<MirrorCreation>;
  let useCase: CreateMirror;
  beforeEach(() => {
    created = [];
    answer = async () => ({ kind: 'created', mirror });
    const createMirror = (...call: [CampaignId, MirrorAddress]) => {
      created.push(call);
      return answer();
    };
    const denied = hostDenylist(['denied.example']);
    if ('notAHost' in denied) throw new Error(denied.notAHost);
    useCase = new CreateMirror({ createMirror }, denied);
  });

  it('with the address exactly as it was submitted', async () => {
    expect(await useCase.execute(campaign, submitted)).to.deep.equal({ kind: 'created', mirror });
    expect(created).to.deep.equal([[campaign, submitted]]);
  });

  it('contract: the address — under the rule of the interface; one that is none is not created', async () => {
    const faults = {
      'ftp://a.example/': 'not-a-url',
      'https://me@a.example/': 'not-a-url',
      'https://DENIED.example./': 'denied-host',
      [`https://a.example/${'x'.repeat(longestAddress)}`]: 'too-long',
    };
    for (const [address, because] of Object.entries(faults)) {
      const outcome = await useCase.execute(campaign, address);
      expect(outcome, address).to.deep.equal({ kind: 'invalid-address', because });
    }
    expect(created).to.deep.equal([]);
  });

  for (const kind of ['campaign-not-found', 'mirror-exists'] as const) {
    it(`${kind}: as the settings say`, async () => {
      answer = async () => ({ kind });
      expect(await useCase.execute(campaign, submitted)).to.deep.equal({ kind });
    });
  }

  it('a fault of the settings is not tried again', async () => {
    const away = new Unavailable('away');
    answer = () => Promise.reject(away);
    expect(await rejection(useCase.execute(campaign, submitted))).to.equal(away);
    expect(created).to.have.length(1);
  });
});
