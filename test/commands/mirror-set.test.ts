import { expect } from 'chai';
import { answered, command, refused } from '../support/commands/command.ts';
import { liveServiceOf } from '../support/process/lives.ts';
import { terminal } from '../support/process/terminal.ts';
import { before as first, type Live, liveCampaign, newCampaign, newOwner } from '../support/store/world.ts';

const second = 'https://second.example/?click={click_id}&x=[ü]|';

describe('commands — mirror set, as a call with an access key does it', () => {
  const service = liveServiceOf('suite');
  let live: Live;
  beforeEach(async () => {
    live = await service.campaign();
  });

  const settings = () => ({ DATABASE_URL: service.database.url('operator') });
  const set = (url: string, more: Record<string, string> = {}, ...args: string[]) =>
    command(['mirror', 'set', String(live.seen.id), url, ...args], {
      ...settings(),
      CAMPAIGN_MIRROR_KEY: live.key,
      ...more,
    });

  it('with the key in the environment: the mirror is set, and recorded as the key’s', async () => {
    const { code, output, errors } = await set(second, {}, '--json');
    expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
    const mirror = await service.world.others.mirror(live.seen.id);
    expect(JSON.parse(output)).to.deep.equal({
      mirror: {
        id: mirror?.id,
        campaign_id: live.seen.id,
        target_url: second,
        clicks: 0,
        updated_externally: true,
        updated_externally_at: mirror?.updatedAt,
        created_at: mirror?.createdAt,
        updated_at: mirror?.updatedAt,
      },
    });
    const [row, ...more] = await service.world.others.history(live.seen.id);
    expect(more).to.deep.equal([]);
    expect(row).to.include({ subject: live.by.subject, addressBefore: first });
    expect(row?.requestId).to.match(/^operator-[0-9a-f-]{36}$/);
    const [used] = await service.world.accessKeys.list({ owner: live.seen.ownerId, limit: 1 });
    expect(used?.lastUsedAt, 'the key was used').not.to.equal(null);
  });

  it('for people it says so in a sentence', async () => {
    expect(await set(second)).to.deep.equal(answered(`The mirror of campaign ${live.seen.id} is set.\n`));
  });

  it('every refusal in words, in the order of the checks: exit code 1, and nothing is written', async () => {
    const id = live.seen.id;
    const refusedKey =
      'the access key is malformed, unknown, expired or revoked: `./campaign-mirror key issue` issues another\n';
    const unknown = { CAMPAIGN_MIRROR_KEY: 'cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj' };
    await refuses('not a url', refusedKey, unknown, '999999');
    await refuses('not a url', refusedKey, { CAMPAIGN_MIRROR_KEY: live.key.slice(0, -1) });
    await refuses('not a url', 'there is no campaign 999999\n', {}, '999999');

    const other = await liveCampaign(service.world);
    await refuses(
      'not a url',
      `the campaign ${id} belongs to another owner than the key: use a key of the campaign's owner\n`,
      { CAMPAIGN_MIRROR_KEY: other.key },
    );
    await refuses(
      'not a url',
      'the URL is refused: it must be a URL such as https://example.com/, without credentials, white space or a backslash\n',
    );
    await refuses(
      `https://example.com/${'x'.repeat(2048)}`,
      'the URL is refused: it must not be longer than 2048 characters\n',
    );
    await refuses(
      'https://Go.denied.example./',
      'the URL is refused: MIRROR_HOST_DENYLIST denies its host\n',
      { MIRROR_HOST_DENYLIST: '*.denied.example' },
    );
    await service.world.others.setDefault(id, true);
    await refuses(
      'not a url',
      `the campaign ${id} is its owner's default campaign, whose mirror cannot be set: \`./campaign-mirror campaign unset-default ${id}\` makes it an ordinary one\n`,
    );
    const bare = await newCampaign(service.world, newOwner(), true);
    await refuses(
      'not a url',
      `the campaign ${bare.id} has no mirror: \`./campaign-mirror mirror create ${bare.id}\` creates it\n`,
      {},
      String(bare.id),
    );
    expect(await service.world.others.mirror(id)).to.deep.equal(live.mirror);
    expect(await service.world.others.history(id)).to.deep.equal([]);
  });

  it('nobody to ask and no key in the environment, or an empty one: exit code 2', async () => {
    const { code, output, errors } = await set(second, { CAMPAIGN_MIRROR_KEY: '' });
    expect({ code, output, errors }).to.deep.equal(
      refused('no access key, and nobody to ask for it: put it into the variable CAMPAIGN_MIRROR_KEY\n', 2),
    );
  });

  it('a key is never taken from an argument, and not repeated where it was given as one', async () => {
    for (const args of [['--key', live.key], [`--key=${live.key}`], [live.key]]) {
      const { code, output, errors } = await set(second, { CAMPAIGN_MIRROR_KEY: '' }, ...args);
      expect({ code, output }).to.deep.equal({ code: 2, output: '' });
      expect(errors).to.match(/^error: (unknown option|too many arguments)/);
      expect(errors).not.to.include(live.key.slice(0, 12));
    }
    expect(await service.world.others.mirror(live.seen.id)).to.deep.equal(live.mirror);
  });

  it('in a terminal the key is asked for, and does not show on the screen', async () => {
    const seen = terminal(['mirror', 'set', String(live.seen.id), second], settings());
    await seen.shows('The access key:');
    seen.type(live.key);
    seen.type('\r');
    expect((await seen.ended).code, seen.screen).to.equal(0);
    expect(seen.screen).to.include(`The mirror of campaign ${live.seen.id} is set.`);
    expect(seen.output).not.to.include(live.key);
    expect(seen.screen).not.to.include(live.key.slice(3, 8));
    expect(await service.world.others.mirror(live.seen.id)).to.include({ targetUrl: second });
  });

  it('Ctrl-C at the question: nothing was done', async () => {
    const seen = terminal(['mirror', 'set', String(live.seen.id), second], settings());
    await seen.shows('The access key:');
    seen.interrupt();
    expect((await seen.ended).code).to.equal(130);
    expect(seen.screen).to.include('Nothing was done.');
    expect(await service.world.others.mirror(live.seen.id)).to.deep.equal(live.mirror);
  });

  async function refuses(
    url: string,
    errors: string,
    more: Record<string, string> = {},
    campaign = String(live.seen.id),
  ): Promise<void> {
    const environment = { ...settings(), CAMPAIGN_MIRROR_KEY: live.key, ...more };
    const done = await command(['mirror', 'set', campaign, url], environment);
    expect(done).to.deep.equal(refused(errors));
  }
});
