import { expect } from 'chai';
import { answered, command } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { groupedOf } from '../support/process/lives.ts';
import { before as first, type Live, newCampaign, newOwner } from '../support/store/world.ts';

const second = 'https://second.example/?click={click_id}&x=[ü]|';

describe('mirror set, as a call with an access key does it', () => {
  const service = groupedOf('suite');
  let live: Live;
  let id: string;
  beforeEach(async () => {
    live = await service.campaign();
    id = `${live.seen.id}`;
  });

  const on = () => commandsOn(service.database);
  const set = (url: string, more: Record<string, string> = {}, ...args: string[]) => {
    const settings = { ...on().settings, CAMPAIGN_MIRROR_KEY: live.key, ...more };
    return command(['mirror', 'set', id, url, ...args], settings);
  };
  const mirror = () => service.world.others.mirror(live.seen.id);

  it('with the key in the environment: the mirror is set, and recorded as the key’s', async () => {
    const { code, output, errors } = await set(second, {}, '--json');
    expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
    const { mirror: shown } = await on().object(`campaign show ${id}`);
    expect(JSON.parse(output)).to.deep.equal({ mirror: shown });
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
    const other = await service.campaign();
    const { id: bare } = await newCampaign(service.world, newOwner(), true);
    const key = `CAMPAIGN_MIRROR_KEY=${live.key}`;
    await on().session(`
      $ CAMPAIGN_MIRROR_KEY=cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj mirror set 999999 not-a-url
      ! the access key is malformed, unknown, expired or revoked: \`./campaign-mirror key issue\` issues another
      $ ${key} mirror set 999999 not-a-url
      ! there is no campaign 999999: \`./campaign-mirror campaign list\` shows those that exist
      $ ${key} mirror set ${bare} not-a-url
      ! the campaign ${bare} has no mirror: \`./campaign-mirror mirror create ${bare} --target-url URL\` creates it
      $ CAMPAIGN_MIRROR_KEY=${other.key} mirror set ${id} not-a-url
      ! the campaign ${id} belongs to another owner than the key: use a key of the campaign's owner
      $ ${key} mirror set ${id} not-a-url
      ! the target URL is refused: it must start with http:// or https://
      $ ${key} mirror set ${id} ''
      ! the target URL is empty: it must start with http:// or https://
      $ ${key} mirror set ${id} https://https://x.example/
      ! the target URL is refused: it must be a valid URL
      $ MIRROR_HOST_DENYLIST=*.denied.example ${key} mirror set ${id} https://Go.denied.example./
      ! the target URL is refused: it must not point to this host, which the host denylist contains
      $ MIRROR_HOST_DENYLIST=*.denied.example mirror create ${bare} --target-url https://Go.denied.example./
      ! --target-url: it must not point to this host, which the host denylist contains`);
    await service.world.others.setDefault(live.seen.id, true);
    const unset = `\`./campaign-mirror campaign unset-default ${id}\` makes it an ordinary one`;
    await on().session(`
      $ CAMPAIGN_MIRROR_KEY=${other.key} mirror set ${id} not-a-url
      ! the campaign ${id} is its owner's default campaign, whose mirror cannot be set: ${unset}`);
    expect(await mirror()).to.deep.equal(live.mirror);
    expect(await service.world.others.history(live.seen.id)).to.deep.equal([]);
  });

  it('--as-operator: without a key, whoever owns it, under the other two rules and that of the address; audited', async () => {
    await on().session(`
      $ mirror set ${id} https://operators.example/ --as-operator
      The mirror of campaign ${id} is set.
      $ mirror set ${id} ftp://operators.example/ --as-operator
      ! the target URL is refused: it must start with http:// or https://
      $ mirror set ${id} "" --as-operator
      ! the target URL is empty: it must start with http:// or https://`);
    const [row] = await service.world.others.history(live.seen.id);
    expect(row).to.include({ subject: 'operator', addressAfter: 'https://operators.example/' });
    const [noted] = await on().objects(`audit ${id}`);
    expect(noted).to.include({ act: 'mirror-set', owner_id: live.seen.ownerId, request_id: row?.requestId });
    await service.world.others.setDefault(live.seen.id, true);
    expect(await on().run(`mirror set ${id} https://x.example/ --as-operator`)).to.include({ code: 1 });
  });

  it('a key is never taken or repeated from an argument; in a terminal it is asked for, and not shown', async () => {
    await on().session(`
      $ CAMPAIGN_MIRROR_KEY= mirror set ${id} '${second}'
      ! no access key, and no terminal to ask on: put it into CAMPAIGN_MIRROR_KEY, or add --as-operator
      [2]`);
    const { code, output, errors } = await set(second, { CAMPAIGN_MIRROR_KEY: '' }, `--key=${live.key}`);
    expect({ code, output }).to.deep.equal({ code: 2, output: '' });
    expect(errors).not.to.include(live.key.slice(0, 12));
    expect(await mirror()).to.deep.equal(live.mirror);

    const seen = on().inTerminal('mirror', 'set', id, second);
    await seen.shows('The access key:');
    seen.type(`${live.key}\r`);
    expect((await seen.ended).code, seen.screen).to.equal(0);
    expect(seen.screen).to.include(`The mirror of campaign ${id} is set.`);
    expect(seen.output).not.to.include(live.key);
    expect(seen.screen).not.to.include(live.key.slice(3, 8));
    expect(await mirror()).to.include({ targetUrl: second });
  });
});
