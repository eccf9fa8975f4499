import { expect } from 'chai';
import { answered, command } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { groupedOf } from '../support/process/lives.ts';
import { inTerminal } from '../support/process/terminal.ts';
import { before as first, type Live, newCampaign, newOwner } from '../support/store/world.ts';
import { projectFolder } from '../support/workspace.ts';

const second = 'https://second.example/?click={click_id}&x=[ü]|';

describe('mirror set: the rules of the HTTP call apply to a key, and all but the owner rule to the operator', () => {
  const service = groupedOf('suite');
  let live: Live;
  let id: string;
  beforeEach(async () => {
    live = await service.campaign();
    id = `${live.seen.id}`;
  });

  const on = () => commandsOn(service.database);
  const set = (url: string, key: string, ...args: string[]) =>
    command(['mirror', 'set', id, url, ...args], { ...on().settings, CAMPAIGN_MIRROR_KEY: key });
  const mirror = () => service.world.others.mirror(live.seen.id);
  const history = () => service.world.others.history(live.seen.id);

  it('sets the mirror with the key in the environment, and records the key', async () => {
    const { code, output, errors } = await set(second, live.key, '--json');
    expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
    const { mirror: shown } = await on().object(`campaign show ${id}`);
    expect(JSON.parse(output)).to.deep.equal({ mirror: shown });
    expect(await mirror()).to.include({ targetUrl: second, updatedExternally: true });
    const [row, ...more] = await history();
    expect(more).to.deep.equal([]);
    expect(row).to.include({ subject: live.by.subject, addressBefore: first, addressAfter: second });
    expect(row?.requestId).to.match(/^operator-[0-9a-f-]{36}$/);
    expect(await set(first, live.key)).to.deep.equal(answered(`The mirror of campaign ${id} is set.\n`));
  });

  it('says why it refuses, in the order of the checks, and writes nothing', async () => {
    const other = await service.campaign();
    const { id: bare } = await newCampaign(service.world, newOwner(), true);
    const key = `CAMPAIGN_MIRROR_KEY=${live.key}`;
    await on().session(`
      $ CAMPAIGN_MIRROR_KEY=cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj mirror set 999999 not-a-url
      ! the access key is malformed, unknown, expired or revoked: \`./campaign-mirror key issue\` issues another
      $ ${key} mirror set 999999 not-a-url
      ! there is no campaign 999999: \`./campaign-mirror campaign list\` shows those that exist
      $ ${key} mirror set ${bare} not-a-url
      ! campaign ${bare} has no mirror: \`./campaign-mirror mirror create ${bare} --target-url URL\` creates it
      $ CAMPAIGN_MIRROR_KEY=${other.key} mirror set ${id} not-a-url
      ! campaign ${id} belongs to another owner than the key: use a key of the campaign's owner
      $ ${key} mirror set ${id} not-a-url
      ! the target URL is refused: it must start with http:// or https://
      $ MIRROR_HOST_DENYLIST=*.denied.example ${key} mirror set ${id} https://Go.denied.example./
      ! the target URL is refused: it must not point to this host, which the host denylist contains
      $ MIRROR_HOST_DENYLIST=*.denied.example mirror create ${bare} --target-url https://Go.denied.example./
      ! --target-url: it must not point to this host, which the host denylist contains`);
    await service.world.others.setDefault(live.seen.id, true);
    const unset = `\`./campaign-mirror campaign unset-default ${id}\` makes it an ordinary one`;
    await on().session(`
      $ CAMPAIGN_MIRROR_KEY=${other.key} mirror set ${id} not-a-url
      ! campaign ${id} is its owner's default campaign: ${unset}`);
    expect(await mirror()).to.deep.equal(live.mirror);
    expect(await history()).to.deep.equal([]);
  });

  it('--as-operator sets the mirror of any owner, is audited, and refuses a default campaign', async () => {
    await on().session(`
      $ mirror set ${id} https://operators.example/ --as-operator
      The mirror of campaign ${id} is set.
      $ mirror set ${id} "" --as-operator
      ! the target URL is empty: it must start with http:// or https://`);
    const [row] = await history();
    expect(row).to.include({ subject: 'operator', addressAfter: 'https://operators.example/' });
    const [entry] = await on().objects(`audit ${id}`);
    expect(entry).to.include({ act: 'mirror-set', owner_id: live.seen.ownerId, request_id: row?.requestId });
    await service.world.others.setDefault(live.seen.id, true);
    expect(await on().run(`mirror set ${id} https://x.example/ --as-operator`)).to.include({ code: 1 });
    expect(await history()).to.have.length(1);
  });

  it('takes no key from an argument; a terminal asks for it and does not show it', async () => {
    const { code, output, errors } = await set(second, '', `--key=${live.key}`);
    expect({ code, output }).to.deep.equal({ code: 2, output: '' });
    expect(errors).not.to.include(live.key.slice(0, 12));
    expect(await mirror()).to.deep.equal(live.mirror);

    const words = [`${projectFolder}campaign-mirror`, 'mirror', 'set', id, second];
    const seen = inTerminal(words, on().settings);
    await seen.shows('The access key:');
    seen.type(`${live.key}\r`);
    expect((await seen.ended).code, seen.screen).to.equal(0);
    expect(seen.screen).to.include(`The mirror of campaign ${id} is set.`);
    expect(seen.output).not.to.include(live.key);
    expect(seen.screen).not.to.include(live.key.slice(3, 8));
    expect(await mirror()).to.include({ targetUrl: second });
  });
});
