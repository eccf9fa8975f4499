import { expect } from 'chai';
import { answered, command, refused } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { liveServiceOf } from '../support/process/lives.ts';
import { before as first, type Live, newCampaign, newOwner } from '../support/store/world.ts';

const second = 'https://second.example/?click={click_id}&x=[ü]|';

describe('mirror set, as a call with an access key does it', () => {
  const service = liveServiceOf('suite');
  let live: Live;
  let id: string;
  beforeEach(async () => {
    live = await service.campaign();
    id = `${live.seen.id}`;
  });

  const on = () => commandsOn(service.database);
  const set = (url: string, more: Record<string, string> = {}, campaign = id, ...args: string[]) =>
    command(['mirror', 'set', campaign, url, ...args], {
      ...on().settings,
      CAMPAIGN_MIRROR_KEY: live.key,
      ...more,
    });
  const mirror = () => service.world.others.mirror(live.seen.id);

  it('with the key in the environment: the mirror is set, and recorded as the key’s', async () => {
    const { code, output, errors } = await set(second, {}, id, '--json');
    expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
    expect(JSON.parse(output)).to.deep.equal(await on().object(`mirror show ${id}`));
    expect(await mirror()).to.include({ targetUrl: second, updatedExternally: true });
    const [row, ...more] = await service.world.others.history(live.seen.id);
    expect(more).to.deep.equal([]);
    expect(row).to.include({ subject: live.by.subject, addressBefore: first, addressAfter: second });
    expect(row?.requestId).to.match(/^operator-[0-9a-f-]{36}$/);
    const { last_used_at } = await on().object(`key list --owner ${live.seen.ownerId}`);
    expect(last_used_at, 'the key was used').not.to.equal(null);
    expect(await set(first)).to.deep.equal(answered(`The mirror of campaign ${id} is set.\n`));
  });

  it('every refusal in words, in the order of the checks: exit code 1, and nothing is written', async () => {
    const key =
      'the access key is malformed, unknown, expired or revoked: `./campaign-mirror key issue` issues another';
    const unknown = { CAMPAIGN_MIRROR_KEY: 'cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj' };
    const none = 'not a url';
    const refuses = async (url: string, errors: string, ...given: [Record<string, string>?, string?]) =>
      expect(await set(url, ...given)).to.deep.equal(refused(`${errors}\n`));
    await refuses(none, key, unknown, '999999');
    await refuses(none, key, { CAMPAIGN_MIRROR_KEY: live.key.slice(0, -1) });
    await refuses(none, 'there is no campaign 999999', {}, '999999');
    const other = await service.campaign();
    await refuses(
      none,
      `the campaign ${id} belongs to another owner than the key: use a key of the campaign's owner`,
      { CAMPAIGN_MIRROR_KEY: other.key },
    );
    const url = 'the URL is refused:';
    const form =
      'it must be a URL such as https://example.com/, without credentials, white space or a backslash';
    await refuses(none, `${url} ${form}`);
    const long = `https://example.com/${'x'.repeat(2048)}`;
    await refuses(long, `${url} it must not be longer than 2048 characters`);
    await refuses('https://Go.denied.example./', `${url} MIRROR_HOST_DENYLIST denies its host`, {
      MIRROR_HOST_DENYLIST: '*.denied.example',
    });
    await service.world.others.setDefault(live.seen.id, true);
    await refuses(
      none,
      `the campaign ${id} is its owner's default campaign, whose mirror cannot be set: \`./campaign-mirror campaign unset-default ${id}\` makes it an ordinary one`,
    );
    const { id: bare } = await newCampaign(service.world, newOwner(), true);
    const create = `\`./campaign-mirror mirror create ${bare}\` creates it`;
    await refuses(none, `the campaign ${bare} has no mirror: ${create}`, {}, `${bare}`);
    expect(await mirror()).to.deep.equal(live.mirror);
    expect(await service.world.others.history(live.seen.id)).to.deep.equal([]);
  });

  it('a key is never taken from an argument, and not repeated where it was given as one', async () => {
    const noKey = { CAMPAIGN_MIRROR_KEY: '' };
    expect(await set(second, noKey)).to.deep.equal(
      refused('no access key, and nobody to ask for it: put it into the variable CAMPAIGN_MIRROR_KEY\n', 2),
    );
    for (const args of [['--key', live.key], [`--key=${live.key}`], [live.key]]) {
      const { code, output, errors } = await set(second, noKey, id, ...args);
      expect({ code, output }).to.deep.equal({ code: 2, output: '' });
      expect(errors).to.match(/^error: (unknown option|too many arguments)/);
      expect(errors).not.to.include(live.key.slice(0, 12));
    }
    expect(await mirror()).to.deep.equal(live.mirror);
  });

  it('in a terminal the key is asked for, and does not show on the screen; Ctrl-C does nothing', async () => {
    const asked = async () => {
      const seen = on().inTerminal(`mirror set ${id}`, second);
      await seen.shows('The access key:');
      return seen;
    };
    const stopped = await asked();
    stopped.interrupt();
    expect((await stopped.ended).code).to.equal(130);
    expect(stopped.screen).to.include('Nothing was done.');
    expect(await mirror()).to.deep.equal(live.mirror);

    const seen = await asked();
    seen.type(live.key);
    seen.type('\r');
    expect((await seen.ended).code, seen.screen).to.equal(0);
    expect(seen.screen).to.include(`The mirror of campaign ${id} is set.`);
    expect(seen.output).not.to.include(live.key);
    expect(seen.screen).not.to.include(live.key.slice(3, 8));
    expect(await mirror()).to.include({ targetUrl: second });
  });
});
