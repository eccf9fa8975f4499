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
    await expectSet({ 'If-Match': `"${await lastChange()}"` });
  });

  it('a mirror that never changed has 0, and null where there was no update', async () => {
    await expectRefused(
      ...['"1"', 'W/"0"'].map((value) => ({ 'If-Match': value })),
      ...['"0"', 'W/"0"', '*'].map((value) => ({ 'If-None-Match': value })),
    );
    await expectSet({ 'If-Match': '"0"' });
    await expectRefused({ 'If-Match': '"0"' });
  });

  it('If-Match: one or more strong tags with the last change among them, or *', async () => {
    await set();
    const holding: ((tag: string) => string | string[])[] = [
      (tag) => tag,
      () => '*',
      () => ' *\t',
      (tag) => `"1" ,\t${tag}`,
      (tag) => `,${tag},, W/"5", "x, y,"`,
      (tag) => ['"1"', tag],
      (tag) => `${'"9007199254740991",'.repeat(500)}${tag}`,
      (tag) => `*, ${tag}`,
    ];
    for (const given of holding) await expectSet({ 'If-Match': given(`"${await lastChange()}"`) });
    const last = await lastChange();
    const [tag, beyond] = [`"${last}"`, 2n ** 64n + BigInt(last)];
    const failing = [
      `"${last - 1}" | "${last + 1}" | "${last}1" | "0" | "-1" | "" |  |   | , | "9007199254740993" | "${beyond}"`,
      `W/${tag} | w/${tag} | W/${tag}, "1" | ${last} | '${last}' | "${last} | ${last}" | " ${last}" | x${tag} | ${tag}x | ",${tag},"`,
      `"0${last}" | "+${last}" | "${last}.0" | "0x${last.toString(16)}" | ${tag}${tag} | ${tag};x | *${tag} | ** | "*" | *, *`,
    ];
    const repeated = [
      ['*', '*'],
      ['"1"', '*'],
    ];
    const all = [...failing.flatMap((some) => some.split(' | ')), ...repeated];
    await expectRefused(...all.map((value) => ({ 'If-Match': value })));
  });

  it('If-None-Match: * or the last change, strong or weak, is refused, and what is malformed means nothing', async () => {
    await set();
    const tag = `"${await lastChange()}"`;
    const failing = `* |  *  | ${tag} | W/${tag} | "1", W/${tag} | x, ${tag} | *, "1"`.split(' | ');
    const all = [...failing, ['"1"', tag], ['*', '*']];
    await expectRefused(...all.map((value) => ({ 'If-None-Match': value })));
    const holding =
      '"1" | W/"1", "2" | "1, *, 2" |  | , | x | " | N | "0N" | w/"N" | "9007199254740993"'.split(' | ');
    for (const value of holding)
      await expectSet({ 'If-None-Match': value.replace('N', String(await lastChange())) });
  });

  it('both: each must hold; conditions on dates mean nothing', async () => {
    await set();
    const tag = `"${await lastChange()}"`;
    await expectRefused(
      { 'If-Match': tag, 'If-None-Match': tag },
      { 'If-Match': '*', 'If-None-Match': tag },
      { 'If-Match': tag, 'If-None-Match': '*' },
      { 'If-Match': '"1"', 'If-None-Match': '"2"' },
    );
    await expectSet({ 'If-Match': tag, 'If-None-Match': '"1", x' });
    await expectSet({ 'If-Match': '*', 'If-None-Match': 'x' });
    for (const date of ['Thu, 01 Jan 1970 00:00:00 GMT', 'Sun, 01 Jan 2200 00:00:00 GMT', 'x'])
      for (const name of ['If-Modified-Since', 'If-Unmodified-Since', 'If-Range'])
        await expectSet({ [name]: date });
  });

  it('order of checks: it is the last one, so whoever may not set the mirror learns nothing', async () => {
    for (const row of inOrder.filter((one) => one.case !== 'a denied host')) {
      const asking = row.asking(service());
      const headers = { 'If-Match': '"1"', 'If-None-Match': '*', ...asking.headers };
      const { status, body, headers: told } = await ask(service(), { ...asking, headers });
      expect([status, body]).to.deep.equal([row.status, row.body]);
      expect(told).not.to.have.property('etag');
    }
  });

  it('20 callers with the same condition: one 200, nineteen 412, each with the mirror as that one set it', async () => {
    for (const headers of [{ 'If-Match': '"0"' }, undefined]) {
      const condition = headers ?? { 'If-Match': `"${await lastChange()}"` };
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
      const same = set({ 'If-Match': tag });
      await untilWaiting(service().database, same);
      const another = set({ 'If-None-Match': tag });
      await other[end]();
      const answers = [await same, await another];
      expect(answers.map(({ status }) => status)).to.deep.equal(end === 'commit' ? [412, 200] : [200, 200]);
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
      const headers = { 'If-Match': `"${await lastChange()}"` };
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
