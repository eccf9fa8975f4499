import { symlink } from 'node:fs/promises';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import * as tls from '../support/deployment/tls-proxy.ts';
import { documented, named } from '../support/documents/blocks.ts';
import { bodyWith, pathOf } from '../support/http/request.ts';
import { databaseOf, folderOf } from '../support/process/lives.ts';
import {
  endAll,
  type Listening,
  listeningService,
  outputOf,
  start,
} from '../support/process/service-process.ts';
import { projectFolder, read } from '../support/workspace.ts';

const page = 'docs/how-to/more-than-one-server.md';
const address = 'https://second.example/?click={click_id}';

/** How each proxy is told of the second installation, beside the first. */
const proxies = {
  haproxy: async (port: number) => ({ '10.0.0.22:3000': `127.0.0.1:${port}` }),
  nginx: async (port: number) => ({
    'upstream campaign-mirror {': `${await documented(page, 'nginx', { '10.0.0.22:3000': `127.0.0.1:${port}` })}
      upstream campaign-mirror {`,
    'proxy_pass http://campaign-mirror;': 'proxy_pass http://$campaign_mirror;',
    'rate=500r/s': 'rate=100000r/s',
  }),
};

/** What a caller with the key of an installation asks about its campaign. */
type Kind = readonly [
  status: number,
  more: Partial<Record<'path' | 'body' | 'method' | 'key', string>>,
  headers?: object,
];
const kinds = (campaign: number): readonly Kind[] => {
  const path = pathOf(campaign);
  return [
    [200, { path }],
    [204, { path, method: 'OPTIONS' }],
    [400, { path, body: '{' }],
    [401, { path, key: '' }],
    [401, { path, key: 'cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj' }],
    [403, { path: pathOf(campaign + 1) }],
    [404, { path: pathOf(campaign + 7) }],
    [404, { path: `${path}/` }],
    [405, { path, method: 'PUT' }],
    [412, { path }, { 'If-None-Match': '*' }],
    [413, { path, body: 'x'.repeat(20_000) }],
    [415, { path }, { 'Content-Type': 'text/plain' }],
    [422, { path, body: bodyWith('javascript:') }],
  ];
};
const malformed = [
  '',
  ...'0 007 -1 +1 1e3 1.5 %31 1%2f 9007199254740992 abc \u00b2'.split(' '),
  ...'1000000000000x +1000000000000 01000000000000 1000000000000;x 1000000000000%2f'.split(' '),
  `1000000000000${'0'.repeat(27)}`,
  '9'.repeat(40),
];

for (const [name, replaced] of Object.entries(proxies))
  describe(`two installations behind ${name}`, () => {
    const databases = [databaseOf('suite'), databaseOf('suite')] as const;
    const ranges = ['1-999999999999', '1000000000000-1999999999999'];
    const keys: string[] = [];
    let services: Listening[];
    let proxy: tls.TlsProxy;
    const firstOf = (which: number) => Number(ranges[which]?.split('-')[0]);

    before(async () => {
      for (const [which, database] of databases.entries()) {
        const settings = { DATABASE_URL: database.url('owner') };
        await command(['migrate', '--numbers', ranges[which] ?? ''], settings);
        const on = commandsOn(database);
        for (const owner of [7, 8]) {
          const { id } = await on.object('campaign', 'create', '--owner', `${owner}`);
          await on.run('mirror', 'create', `${id}`, '--target-url', address);
        }
        keys.push((await on.object('key', 'issue', '--owner', '7', '--name', 'tests')).key);
      }
      const settings = { RUN_MIGRATIONS: 'false', TRUSTED_PROXIES: '127.0.0.1' };
      const starting = databases.map((one) =>
        listeningService({ ...settings, DATABASE_URL: one.url('service') }),
      );
      services = await Promise.all(starting);
      const [first = 0, second = 0] = services.map(({ base }) => Number(new URL(base).port));
      proxy = await tls.tlsProxy(name as keyof typeof proxies, first, await replaced(second));
    });
    after(async () => {
      await proxy?.stop();
      await endAll();
    });

    const headersOf = (which: number, key = keys[which]) => ({
      'Content-Type': 'application/json',
      'X-Request-Id': 'mine',
      Authorization: `Bearer ${key}`,
    });
    /** The same call to the installation itself, and to the proxy. */
    async function both(
      which: number,
      [, { path = '', body = bodyWith(address), method = 'POST', key }, more]: Kind,
    ) {
      const headers = { ...headersOf(which, key), ...more };
      const sent = { method, headers, ...(method === 'POST' && { body }) };
      const direct = await fetch(`${services[which]?.base}${path}`, sent);
      const caller = tls.tlsCaller(proxy);
      const proxied = await caller.call({ body: '', ...sent, path });
      caller.close();
      const shown = ['content-type', 'www-authenticate', 'allow', 'retry-after', 'x-request-id'];
      const changing = (text: string) => text.replace(/"[a-z_]*updated[a-z_]*":"[^"]*"/g, '');
      const said = (status: number | undefined, body: string, header: (name: string) => unknown) => [
        status,
        changing(body),
        ...shown.map((one) => header(one) ?? null),
      ];
      return [
        said(direct.status, await direct.text(), (one) => direct.headers.get(one)),
        said(proxied.status, proxied.body, (one) => proxied.headers[one]),
      ];
    }

    for (const which of [0, 1])
      it(`each kind of answer of installation ${which + 1} is as without it`, async () => {
        for (const kind of kinds(firstOf(which))) {
          const [direct, proxied] = await both(which, kind);
          expect(proxied, JSON.stringify(kind)).to.deep.equal(direct);
          expect(proxied?.[0]).to.equal(kind[0]);
        }
      });

    it('numbers that are malformed are 404 as without it, and a key is 401 on the numbers of the other', async () => {
      for (const number of malformed) {
        const path = pathOf(encodeURI(number).replaceAll('%25', '%'));
        const [direct, proxied] = await both(0, [404, { path }]);
        expect(proxied, number).to.deep.equal(direct);
        expect(proxied?.[0], number).to.equal(404);
      }
      for (const which of [0, 1]) {
        const [, proxied] = await both(which, [401, { path: pathOf(firstOf(1 - which)) }]);
        expect(proxied?.slice(0, 2)).to.deep.equal([401, '{"message":"Unauthenticated."}']);
      }
    });

    it('one that is stopped costs its own campaigns only', async () => {
      await services[1]?.process.stop();
      const caller = tls.tlsCaller(proxy);
      const call = (which: number) =>
        caller.call({ path: pathOf(firstOf(which)), headers: headersOf(which), body: bodyWith(address) });
      for (const _ of [1, 2]) {
        const { status, body, headers } = await call(1);
        expect([status, body]).to.deep.equal([503, '{"message":"Service Unavailable"}']);
        expect(headers).to.include({ 'retry-after': '1', 'x-request-id': 'mine' });
        expect(headers['content-type']).to.equal('application/json; charset=utf-8');
        expect((await call(0)).status).to.equal(200);
      }
    });
  });

describe('the split of a range', () => {
  const [old, anew] = [databaseOf('test'), databaseOf('test')];
  const folder = folderOf('test');

  it('moves campaigns with their numbers, and each side goes on in its own', async () => {
    const [onOld, onNew] = [commandsOn(old), commandsOn(anew)];
    const create = async (on: typeof onOld) => (await on.run('campaign', 'create', '--owner', '7')).output;
    // The numbers of mirrors are others than those of their campaigns.
    for (const id of [1, 2, 3, 4]) expect(await create(onOld)).to.include(`Campaign ${id} was created`);
    for (const id of [4, 3, 1]) await onOld.run('mirror', 'create', `${id}`, '--target-url', address);
    const moved = (await onOld.objects('export')).slice(2);
    await symlink(`${projectFolder}campaign-mirror`, folder.at('campaign-mirror'));
    const blocks = named(await read(page), 'tested: ');
    for (const part of ['free', 'part', 'rest']) {
      const block = blocks.get(`${part}, by test/deployment/several-installations.test.ts`) ?? '';
      const here = block.replaceAll('600001', '3').replaceAll('600000', '2').replaceAll('499999999999', '9');
      const urls = { OLD: old.url('owner'), NEW: anew.url('owner') };
      await outputOf(start('/bin/sh', ['-euc', here.replaceAll('500000000000-', '3-')], urls, folder.path));
    }
    expect(await onNew.objects('export')).to.deep.equal(moved);
    expect((await onOld.objects('export')).map(({ id }) => id)).to.deep.equal([1, 2]);
    expect(await create(onNew)).to.include('Campaign 5 was created');
    expect(await create(onOld)).to.equal('');
    // No number is given to another campaign.
    await command(['migrate', '--numbers', '1-9'], { DATABASE_URL: old.url('owner') });
    expect(await create(onOld)).to.include('Campaign 5 was created');
  });
});
