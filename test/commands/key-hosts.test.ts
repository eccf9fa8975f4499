import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { call } from '../support/http/caller.ts';
import { databaseOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';

describe('key --hosts: a key for some hosts sets mirrors to these hosts only', () => {
  const database = databaseOf('suite');
  const on = commandsOn(database);
  const issue = (hosts: string) => ['key', 'issue', '--owner', '21', '--name', 'ads', '--hosts', hosts];
  const hostsOfKeys = async () => (await on.objects('key list --owner 21')).map(({ hosts }) => hosts);

  it('the list is shown and audited, a successor keeps it, and service and commands obey it', async () => {
    const { id: campaign } = await on.object('campaign create --owner 21');
    await on.run(`mirror create ${campaign} --target-url https://example.com/`);
    const hosts = ['shop.example', '127.0.0.1', '*.xn--bcher-kva.example'];
    const { output, errors } = await on.run(...issue('Shop.example. ,*.B\u00dcCHER.example ,0x7f.1'));
    expect(errors).to.include(`It sets mirrors to ${hosts.join(', ')} only.`);
    const [{ id }] = await on.objects('key list --owner 21');
    const { key: free } = await on.object('key issue --owner 21 --name any');
    const { key: next } = await on.object(`key rotate ${id}`);
    expect(await hostsOfKeys()).to.deep.equal([hosts, null, hosts]);
    const entries = await on.objects('audit --act key-issued');
    const audited = entries.map(({ details }) => details.hosts);
    expect(audited).to.deep.equal([hosts.join(), undefined, hosts.join()]);

    const { base } = await listeningService({
      DATABASE_URL: database.url('service'),
      RUN_MIGRATIONS: 'false',
      MIRROR_HOST_DENYLIST: 'go.b\u00fccher.example',
    });
    const set = async (key: string, address: string) => {
      const { status, body } = await call({ campaign, key, address, base });
      return status === 200 ? status : `${status} ${JSON.parse(body).message}`;
    };
    const refused = '422 The mirror endpoint field must not point to this host.';
    const within = [
      'https://shop.example/?c={click_id}',
      'https://a.b.xn--bcher-kva.example/',
      'http://127.0.0.1/',
    ];
    const beyond = [
      ...['https://a.shop.example/', 'https://shop.example.evil.example/', 'https://%73hop.example/'],
      ...['https://go.xn--bcher-kva.example/', 'https://{x}.xn--bcher-kva.example/', 'http://2130706433/'],
    ];
    for (const key of [output.trim(), next]) {
      for (const address of within) expect(await set(key, address), address).to.equal(200);
      for (const address of beyond) expect(await set(key, address), address).to.equal(refused);
    }
    expect(await set(free, 'https://{sub}.evil.example/'), 'a key without a list').to.equal(200);
    await on.session(`
      $ CAMPAIGN_MIRROR_KEY=${next} mirror set ${campaign} https://shop.example/by-hand
      The mirror of campaign ${campaign} is set.
      $ CAMPAIGN_MIRROR_KEY=${next} mirror set ${campaign} https://evil.example/
      ! the target URL is refused: it must not point to this host, which is not one of the key's hosts…
      $ mirror set ${campaign} https://evil.example/ --as-operator
      The mirror of campaign ${campaign} is set.`);
  });

  it('rotate --hosts gives the successor another list', async () => {
    const before = (await hostsOfKeys()).length;
    const { id: one } = await on.object(...issue('old.example'));
    const { id: two } = await on.object(`key rotate ${one} --hosts new.example,*.new.example`);
    await on.session(`
      $ MIRROR_HOST_DENYLIST=*.denied.example key rotate ${two} --hosts a.example,go.denied.example
      ! the host denylist contains go.denied.example: leave it out of --hosts`);
    await on.object(`key rotate ${two} --hosts a.example`);
    expect((await hostsOfKeys()).slice(before)).to.deep.equal([
      ...[['old.example'], ['new.example', '*.new.example'], ['a.example']],
    ]);
  });
});
