import { expect } from 'chai';
import { api, undocumented } from '../support/documents/api.ts';
import { outdated } from '../support/documents/generated.ts';
import { read } from '../support/workspace.ts';

describe('documents that are made from the code', () => {
  it('are what it makes', async () => {
    expect([...(await outdated()).keys()], 'run npm run generate').to.deep.equal([]);
  });

  it('every exported name of the packages, and every method of it, has a comment', async () => {
    expect(undocumented(await api())).to.deep.equal([]);
  });

  const changes: readonly (readonly [path: string, from: RegExp, to: string])[] = [
    ['.env.example', /#PORT=3000/, '#PORT=3001'],
    ['docs/reference/api.md', /\| `campaignId` \|/, '| `campaignNumber` |'],
    ['docs/reference/settings.md', /\| `PORT` \|/, '| `PROT` |'],
    ['docs/reference/command-line.md', /\| `key issue /, '| `key make '],
    ['docs/how-to/tls-proxy.md', /keepalive 32;/, 'keepalive 33;'],
    ['docs/reference/metrics.md', /_requests_total` \| counter/, '_requests_total` | gauge'],
    ['docs/reference/logs.md', /\| `stopped` \|.*\n/, ''],
  ];
  it('what is changed by hand is found, and made anew', async () => {
    for (const [path, from, to] of changes) {
      const committed = await read(path);
      const changed = committed.replace(from, to);
      expect(changed, String(from)).not.to.equal(committed);
      const found = await outdated(async (one) => (one === path ? changed : read(one)));
      expect([...found], String(from)).to.deep.equal([[path, committed]]);
    }
  });

  it('a table whose place is gone fails', async () => {
    const markerless = async (path: string) => (await read(path)).replace('<!-- generated: metrics -->', '');
    const fault = await outdated(markerless).catch(String);
    expect(fault).to.include('there is no <!-- generated: metrics -->');
  });
});
