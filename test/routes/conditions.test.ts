import type { CampaignRepository, SetMirrorResult } from '@campaign-mirror/domain';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { inOrder, json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { type Asking, ask, bodyWith, newAddress } from '../support/http/request.ts';
import { type HttpServiceOptions, withHttpService } from '../support/http/service.ts';
import { before as first, newCampaign, newMirror } from '../support/store/world.ts';

type Headers = NonNullable<Asking['headers']>;
const matching = (value: string | readonly string[]): Headers => ({ 'If-Match': value });
const rivals = 'https://example.com/rival';
/** The change of somebody else, in a transaction that is still open. */
const setByRival = `update campaign_mirror.mirrors
  set target_url = '${rivals}', last_change_id = nextval('campaign_mirror.mirror_history_id_seq') where campaign_id = $1`;

describe('contract: the condition on the last change', () => {
  /** What comes of the write, if a test says so. */
  let instead: ((write: () => Promise<SetMirrorResult>) => Promise<SetMirrorResult>) | undefined;
  const ports: HttpServiceOptions['ports'] = ({ campaigns }) => ({
    campaigns: {
      find: (id) => campaigns.find(id),
      setMirror: (...call) =>
        instead ? instead(() => campaigns.setMirror(...call)) : campaigns.setMirror(...call),
    } satisfies CampaignRepository,
  });
  const service = withHttpService({ ports });
  let campaign: number;
  beforeEach(async () => {
    const { world, owner } = service();
    const { id } = await newCampaign(world, owner);
    await newMirror(world, id, first);
    campaign = id;
  });

  const set = (headers: Headers = {}, to = newAddress) =>
    ask(service(), { campaign, headers, body: bodyWith(to) });
  const history = () => service().world.others.history(campaign as never);
  const lastChange = async () => (await history()).at(-1)?.id ?? 0;

  /** Each of them is refused with the mirror as it is, and nothing is written. */
  async function expectRefused(...all: readonly Headers[]): Promise<void> {
    const { world, database, log } = service();
    const [was, changes] = [await world.others.mirror(campaign as never), await history()];
    const { mirror } = await commandsOn(database).object(`campaign show ${campaign}`);
    const body = JSON.stringify({ message: 'The mirror was changed meanwhile.', mirror });
    const etag = `"${changes.at(-1)?.id ?? 0}"`;
    const length = { 'content-type': json, 'content-length': String(Buffer.byteLength(body)) };
    for (const headers of all) {
      const answer = await set(headers, 'https://example.com/never');
      const told = [answer.status, answer.reason, answer.body];
      expect(told, JSON.stringify(headers)).to.deep.equal([412, 'Precondition Failed', body]);
      const { date: _, 'x-request-id': requestId, ...others } = answer.headers;
      expect(others).to.deep.equal({ ...standing, ...keptAlive, ...length, etag });
      expect(await log.line(requestId)).to.include({ status: 412, because: 'condition-failed' });
    }
    expect(await world.others.mirror(campaign as never)).to.deep.equal(was);
    expect(await history()).to.deep.equal(changes);
  }

  /** Each of them is not understood: nothing is written, and nothing told of the mirror. */
  async function expectFault(because: string, message: string, ...all: readonly Headers[]): Promise<void> {
    const changes = await history();
    const body = JSON.stringify({ message });
    const length = { 'content-type': json, 'content-length': String(body.length) };
    for (const headers of all) {
      const answer = await set(headers);
      const told = [answer.status, answer.reason, answer.body];
      expect(told, JSON.stringify(headers)).to.deep.equal([400, 'Bad Request', body]);
      const { date: _, 'x-request-id': requestId, ...others } = answer.headers;
      expect(others).to.deep.equal({ ...standing, ...keptAlive, ...length });
      expect(await service().log.line(requestId)).to.include({ status: 400, because });
    }
    expect(await history()).to.deep.equal(changes);
  }

  async function expectSet(headers: Headers): Promise<void> {
    const answer = await set(headers);
    expect(answer.status, JSON.stringify(headers)).to.equal(200);
    expect(answer.headers.etag).to.equal(`"${await lastChange()}"`);
  }

  it('ETag is the number of the change, as the history calls it on the command line', async () => {
    const tags = [(await set()).headers.etag, (await set({}, first)).headers.etag];
    const on = commandsOn(service().database);
    const told = await on.objects(`mirror history ${campaign}`);
    expect(told.map(({ id }) => `"${id}"`).toReversed()).to.deep.equal(tags);
    await on.object(`mirror restore ${campaign} --to ${told[1].id}`);
    await expectSet(matching(`"${await lastChange()}"`));
  });

  it('a mirror that never changed has 0, and null where there was no update', async () => {
    await expectRefused(...['"1"', 'W/"1"', '"-1"', '""'].map(matching));
    await expectSet(matching('"0"'));
    await expectRefused(matching('"0"'));
  });

  it('If-Match: the number of the last change, also as proxies write it, or *: 200', async () => {
    await set();
    const forms =
      '"N" |  "N"\t | W/"N" | "N-gzip" | W/"N-gzip" | "N--br" | W/"N--br" | "N-x" | "N--GZIP" | * |  *\t';
    for (const form of forms.split(' | '))
      await expectSet(matching(form.replace('N', `${await lastChange()}`)));
  });

  it('If-Match: another tag is not the last change: 412', async () => {
    await set();
    const last = await lastChange();
    const numbers = [
      last - 1,
      last + 1,
      `${last}1`,
      0,
      -1,
      -last,
      `0${last}`,
      `+${last}`,
      `${last}.0`,
      `${last}e0`,
    ];
    const beyond = [2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n + BigInt(last), 10n ** 20n];
    const changed =
      '"N-" | "N--" | "N---br" | "N-gzip-br" | "N-1" | "N-gzip1" | "Ngzip" | "N;gzip" | "N_gzip" | "-gzip"';
    const texts = `${changed} | "" | W/"" | "x" | "xN" | "*" | "W/N" | ",N," | "'N'" | "0xN" | "N-é" | "N\u0080"`;
    const failing = [...[...numbers, ...beyond].map((one) => `"${one}"`), ...texts.split(' | ')];
    await expectRefused(...failing.map((form) => matching(form.replace('N', `${last}`))));
  });

  it('If-Match that is a list, several lines or no tag: 400, even if the last change is among them', async () => {
    await set();
    const tag = `"${await lastChange()}"`;
    const lists = `${tag}, "1" | "1",${tag} | ${tag}, | ,${tag} | , | *, ${tag} | ${tag}, * | *, * | W/${tag}, ${tag}`;
    const noTag = `  | N | 'N' | "N | N" | " N" | "N " | "N\tN" | w/"N" | W"N" | W/ "N" | W/N | W/W/"N" | x"N"`;
    const more = '"N"x | "N""N" | "N" "N" | "N"-gzip | "N";x | *"N" | ** | W/* | 0 | -1 | null';
    const texts = [lists, noTag, more].flatMap((some) => some.split(' | '));
    const one = [...texts, ''].map((form) => form.replaceAll('N', tag.slice(1, -1)));
    const lines = [
      [tag, tag],
      [tag, '"1"'],
      ['*', '*'],
      ['*', tag],
      ['', tag],
      [tag, ''],
    ];
    await expectFault('not-one-tag', 'If-Match must be one entity tag.', ...[...one, ...lines].map(matching));
  });

  it('any If-None-Match: 400, also with an If-Match that holds, but after one that is no tag', async () => {
    await set();
    const tag = `"${await lastChange()}"`;
    const values = ['*', tag, '"1"', 'W/"1"', '"1", "2"', 'x', '', ['"1"', '"2"']];
    const all = values.map((value) => ({ 'If-None-Match': value }));
    const held = all.flatMap((headers) =>
      [tag, '"1"', '*'].map((match) => ({ ...headers, ...matching(match) })),
    );
    await expectFault('if-none-match', 'If-None-Match is not supported.', ...all, ...held);
    const both = all.map((headers) => ({ ...headers, ...matching(`${tag}, "1"`) }));
    await expectFault('not-one-tag', 'If-Match must be one entity tag.', ...both);
  });

  it('conditions on dates mean nothing', async () => {
    await set();
    for (const date of ['Thu, 01 Jan 1970 00:00:00 GMT', 'Sun, 01 Jan 2200 00:00:00 GMT', 'x'])
      for (const name of ['If-Modified-Since', 'If-Unmodified-Since', 'If-Range'])
        await expectSet({ [name]: date });
  });

  it('order of checks: it is the last one, so whoever may not set the mirror learns nothing', async () => {
    for (const row of inOrder.filter((one) => one.case !== 'a denied host')) {
      const asking = row.asking(service());
      const headers = { ...matching('"1"'), ...asking.headers };
      const { status, body, headers: told } = await ask(service(), { ...asking, headers });
      expect([status, body]).to.deep.equal([row.status, row.body]);
      expect(told).not.to.have.property('etag');
    }
  });

  it('20 callers with the same condition: one 200, nineteen 412, each with the mirror as that one set it', async () => {
    for (const headers of [matching('"0"'), undefined]) {
      const condition = headers ?? matching(`"${await lastChange()}"`);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, nth) => set(condition, `https://example.com/${nth}`)),
      );
      const [winner, ...others] = answers.toSorted((one, other) => one.status - other.status);
      expect(winner?.status).to.equal(200);
      for (const { status, headers, body } of others) {
        expect([status, headers.etag]).to.deep.equal([412, winner?.headers.etag]);
        expect(JSON.parse(body).mirror).to.deep.equal(JSON.parse(winner?.body ?? '').mirror);
      }
    }
    expect(await history()).to.have.length(2);
  });

  for (const end of ['commit', 'rollback'] as const)
    it(`a rival has changed the mirror and is about to ${end}: judged when the row is free`, async () => {
      await set();
      const tag = `"${await lastChange()}"`;
      const other = await rival(service().database, setByRival, campaign);
      const same = set(matching(tag));
      await untilWaiting(service().database, same);
      const compressed = set(matching(`W/${tag}`));
      await other[end]();
      const answers = [await same, await compressed];
      const statuses = answers.map(({ status }) => status).toSorted();
      expect(statuses).to.deep.equal(end === 'commit' ? [412, 412] : [200, 412]);
      if (end === 'commit') expect(JSON.parse(answers[0]?.body ?? '').mirror.target_url).to.equal(rivals);
    });

  it('an outcome that stayed unknown: repeated with the same condition, 200 if nothing was set, otherwise 412', async () => {
    const lost = async () => {
      throw new Unavailable('lost');
    };
    for (const [fault, status] of [
      [lost, 200],
      [(write: () => Promise<unknown>) => write().then(lost), 412],
    ] as const) {
      const headers = matching(`"${await lastChange()}"`);
      instead = fault;
      expect((await set(headers)).status).to.equal(503);
      instead = undefined;
      const again = await set(headers);
      expect([again.status, JSON.parse(again.body).mirror.target_url]).to.deep.equal([status, newAddress]);
      expect(again.headers.etag).to.equal(`"${await lastChange()}"`);
    }
    expect(await history()).to.have.length(2);
  });
});
