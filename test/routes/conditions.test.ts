import type { SetMirrorResult } from '@campaign-mirror/domain';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { inOrder, json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { assertDocumented } from '../support/http/openapi-answers.ts';
import { type Asking, ask, bodyWith, newAddress } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { before as first, newCampaign, newMirror } from '../support/store/world.ts';

type Headers = NonNullable<Asking['headers']>;
const ifMatch = (value: string | readonly string[]): Headers => ({ 'If-Match': value });
const rivals = 'https://example.com/rival';
const setByRival = `update campaign_mirror.mirrors set target_url = '${rivals}',
  last_change_id = nextval('campaign_mirror.mirror_history_id_seq') where campaign_id = $1`;

describe('contract: the condition: If-Match sets the mirror only if its last change is the expected one', () => {
  /** Replaces the write. */
  let instead: ((write: () => Promise<SetMirrorResult>) => Promise<SetMirrorResult>) | undefined;
  const service = withHttpService({
    ports: ({ campaigns }) => ({
      campaigns: {
        find: (id) => campaigns.find(id),
        setMirror: (...given) => {
          const write = () => campaigns.setMirror(...given);
          return instead ? instead(write) : write();
        },
      },
    }),
  });
  let campaign: number;
  beforeEach(async () => {
    const { world, owner } = service();
    const { id } = await newCampaign(world, owner);
    await newMirror(world, id);
    campaign = id;
  });

  const set = (headers: Headers = {}, to = newAddress) =>
    ask(service(), { campaign, headers, body: bodyWith(to) });
  const history = () => service().world.others.history(campaign as never);
  const lastChange = async () => (await history()).at(-1)?.id ?? 0;

  async function expectSet(headers: Headers): Promise<void> {
    const answer = await set(headers);
    const told = [answer.status, answer.headers.etag];
    expect(told, JSON.stringify(headers)).to.deep.equal([200, `"${await lastChange()}"`]);
  }

  /** Checks that each call gets this answer, and that nothing is written. */
  async function expectRefused(all: readonly Headers[], because: string, answer: object, etag?: string) {
    const [status, changes, text] = [etag ? 412 : 400, await history(), JSON.stringify(answer)];
    const length = { 'content-type': json, 'content-length': String(text.length) };
    for (const headers of all) {
      const refusal = await set(headers, 'https://example.com/never');
      expect([refusal.status, refusal.body], JSON.stringify(headers)).to.deep.equal([status, text]);
      assertDocumented(refusal);
      const { date: _, 'x-request-id': requestId, ...others } = refusal.headers;
      expect(others).to.deep.equal({ ...standing, ...keptAlive, ...length, ...(etag && { etag }) });
      expect(await service().log.line(requestId)).to.include({ status, because });
    }
    expect(await history()).to.deep.equal(changes);
  }

  /** Checks that each call gets the 412 that shows the mirror. */
  async function expectFailed(...tags: readonly string[]): Promise<void> {
    const { mirror } = await commandsOn(service().database).object(`campaign show ${campaign}`);
    const answer = { message: 'The mirror was changed meanwhile.', mirror };
    await expectRefused(tags.map(ifMatch), 'condition-failed', answer, `"${await lastChange()}"`);
  }

  it('ETag is the number of the change, which mirror history shows', async () => {
    const tags = [(await set()).headers.etag, (await set({}, first)).headers.etag];
    const shown = await commandsOn(service().database).objects(`mirror history ${campaign}`);
    expect(shown.map(({ id }) => `"${id}"`).toReversed()).to.deep.equal(tags);
  });

  it('a mirror that was never changed has the tag "0"', async () => {
    await expectFailed('"1"', 'W/"1"', '"-1"', '""');
    await expectSet(ifMatch('"0"'));
    await expectFailed('"0"');
  });

  it('the number of the last change, also as proxies write it, and * are 200', async () => {
    await set();
    const forms = ['"N"', ' "N"\t', '"N-gzip"', 'W/"N-gzip"', '"N--br"', 'W/"N--br"', '"N--GZIP"', '*'];
    for (const form of forms) await expectSet(ifMatch(form.replace('N', `${await lastChange()}`)));
  });

  it('any other tag is 412', async () => {
    await set();
    const last = await lastChange();
    const numbers = [last - 1, last + 1, 0, -last, `${last}1`, `0${last}`, `+${last}`, `${last}.0`];
    const large = [2n ** 53n, 2n ** 64n + BigInt(last), 10n ** 20n];
    const texts = 'N- N-- N---br N-gzip-br N-1 N-gzip1 Ngzip N;gzip N_gzip -gzip * W/N ,N, 0xN N-é';
    const all = [...numbers, ...large, ...texts.split(' '), ''].map((one) => `"${one}"`);
    await expectFailed(...all.map((form) => form.replace('N', `${last}`)));
  });

  it('a list, several lines, or no tag is 400', async () => {
    await set();
    const tag = `"${await lastChange()}"`;
    const lists = ['T, "1"', '"1",T', 'T,', ',T', ',', '*, T', 'T, *', '*, *', 'W/T, T'];
    const noTags = ['', 'N', "'N'", '"N', 'N"', '" N"', '"N\tN"', 'w/"N"', 'W"N"', 'W/ "N"', 'W/N', 'x"N"'];
    const more = ['"N"x', '"N""N"', '"N" "N"', '"N"-gzip', '*"N"', '**', 'W/*', '0', '-1', 'null'];
    const forms = [...lists, ...noTags, ...more].map((form) =>
      form.replaceAll('T', tag).replaceAll('N', tag.slice(1, -1)),
    );
    const lines = [tag, '"1"', '*', ''].flatMap((one) => [[tag, one].toReversed(), [tag, one]]);
    const body = { message: 'If-Match must be one entity tag.' };
    await expectRefused([...forms, ...lines].map(ifMatch), 'not-one-tag', body);
  });

  it('any If-None-Match is 400', async () => {
    await set();
    const tag = `"${await lastChange()}"`;
    const values = ['*', tag, 'W/"1"', '"1", "2"', 'x', '', ['"1"', '"2"']];
    const all = values.flatMap((value) => [
      { 'If-None-Match': value },
      { 'If-None-Match': value, ...ifMatch(tag) },
      { 'If-None-Match': value, ...ifMatch('"1"') },
    ]);
    await expectRefused(all, 'if-none-match', { message: 'If-None-Match is not supported.' });
  });

  it('order of checks: a caller that may not set the mirror learns nothing about its last change', async () => {
    for (const row of inOrder.filter((one) => one.because !== 'denied-host')) {
      const asking = row.asking(service());
      const answer = await ask(service(), { ...asking, headers: { ...ifMatch('"1"'), ...asking.headers } });
      expect([answer.status, answer.body]).to.deep.equal([row.status, row.body]);
      expect(answer.headers).not.to.have.property('etag');
    }
  });

  it('of 20 callers with the same condition, one gets 200, and the others see its mirror', async () => {
    const calls = Array.from({ length: 20 }, (_, nth) => set(ifMatch('"0"'), `https://example.com/${nth}`));
    const answers = await Promise.all(calls);
    const [winner, ...others] = answers.toSorted((one, other) => one.status - other.status);
    expect(winner?.status).to.equal(200);
    for (const { status, headers, body } of others) {
      expect([status, headers.etag]).to.deep.equal([412, winner?.headers.etag]);
      expect(JSON.parse(body).mirror).to.deep.equal(JSON.parse(winner?.body ?? '').mirror);
    }
    expect(await history()).to.have.length(1);
  });

  for (const end of ['commit', 'rollback'] as const)
    it(`the condition is judged after the ${end} of another change`, async () => {
      await set();
      const tag = `"${await lastChange()}"`;
      const other = await rival(service().database, setByRival, campaign);
      const waiting = set(ifMatch(tag));
      await untilWaiting(service().database, waiting);
      await other[end]();
      const { status, body } = await waiting;
      const expected = end === 'commit' ? [412, rivals] : [200, newAddress];
      expect([status, JSON.parse(body).mirror.target_url]).to.deep.equal(expected);
    });

  it('a call repeated after a 503 is 200 if the first one set nothing, and otherwise 412', async () => {
    const lost = async () => {
      throw new Unavailable('lost');
    };
    for (const [fault, status] of [
      [lost, 200],
      [(write: () => Promise<unknown>) => write().then(lost), 412],
    ] as const) {
      const headers = ifMatch(`"${await lastChange()}"`);
      instead = fault;
      expect((await set(headers)).status).to.equal(503);
      instead = undefined;
      const again = await set(headers);
      expect([again.status, JSON.parse(again.body).mirror.target_url]).to.deep.equal([status, newAddress]);
    }
    expect(await history()).to.have.length(2);
  });
});
