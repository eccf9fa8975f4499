import { expect } from 'chai';
import { databaseOf } from '../support/process/lives.ts';

const tooGreat = '9007199254740992';
const [notUnique, noSuch, unfit] = ['23505', '23503', '23514'];
const hash = "decode(repeat('00', 32), 'hex')";

const campaign = (columns: string, values: string) =>
  `insert into campaign_mirror.campaigns (${columns}) values (${values})`;
const key = (columns: string, values: string) => `
  insert into campaign_mirror.access_keys (displayed, name, owner_id, ${columns}) values ('', '', 7, ${values})`;
const mirror = (id: string) =>
  `insert into campaign_mirror.mirrors (campaign_id, target_url) values (${id}, 'http://x')`;
const setCampaign = (what: string, id: number) =>
  `update campaign_mirror.campaigns set ${what} where id = ${id}`;
const setClicks = (clicks: string) => `update campaign_mirror.mirrors set clicks = ${clicks}`;
/** Statements in their order, each with the SQLSTATE of its refusal. A statement without one succeeds. */
const statements: Record<string, readonly (readonly [sql: string, refusal?: string])[]> = {
  'identifiers and owners below 1 or above 2^53-1': [tooGreat, '0', '-1'].flatMap((number) =>
    [
      campaign('id, owner_id', `${number}, 1`),
      campaign('owner_id', number),
      `insert into campaign_mirror.access_keys (hash, displayed, name, owner_id) values (${hash}, '', '', ${number})`,
    ].map((sql) => [sql, unfit] as const),
  ),
  'keys whose hash is not one of SHA-256, or whose list of hosts is empty': [
    [key('hash', "'\\x00'"), unfit],
    [key('hash, hosts', `${hash}, '{}'`), unfit],
    [key('hash, hosts', `${hash}, '{a.example,NULL}'`), unfit],
    [key('hash, hosts', `${hash}, '{a.example}'`)],
    [key('hash', hash), notUnique],
    ['update campaign_mirror.access_keys set replaced_by = 9007199254740992', unfit],
  ],
  'clicks below 0 and above 2^53-1': [
    [setClicks('-1'), unfit],
    [setClicks(tooGreat), unfit],
    [setClicks('9007199254740991')],
    [setClicks('clicks + 1'), unfit],
  ],
  'a second default campaign of an owner, by insertion, flag or transfer': [
    [campaign('id, owner_id, is_default', '9, 7, true')],
    [campaign('owner_id, is_default', '7, true'), notUnique],
    [setCampaign('is_default = true', 7), notUnique],
    [setCampaign('is_default = true', 8)],
    [setCampaign('owner_id = 7', 8), notUnique],
  ],
  'a second mirror of a campaign, and a mirror without a campaign': [
    [mirror('7'), notUnique],
    [mirror('4711'), noSuch],
  ],
  'an owner or a flag of a mirror that differs from its campaign': [
    ['update campaign_mirror.mirrors set owner_id = 8', noSuch],
    ['update campaign_mirror.mirrors set is_default = true', noSuch],
  ],
};

describe('contract: the data around it — the tables refuse', () => {
  const database = databaseOf('suite');
  before(async () => {
    await database.admin.query(campaign('id, owner_id', '7, 7), (8, 8'));
    await database.admin.query(mirror('7'));
  });

  for (const [what, cases] of Object.entries(statements))
    it(what, async () => {
      for (const [sql, refusal] of cases) {
        const code = await database.admin.query(sql).then(
          () => undefined,
          (error) => error.code,
        );
        expect(code, sql).to.equal(refusal);
      }
    });
});
