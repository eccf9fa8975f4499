import { expect } from 'chai';
import { connect } from '../support/database/client.ts';
import { databaseOf } from '../support/process/lives.ts';

const tooGreat = '9007199254740992';
const [notUnique, noSuch, unfit] = ['23505', '23503', '23514'];
const hash = "decode(repeat('00', 32), 'hex')";

const campaign = (columns: string, values: string) =>
  `insert into campaign_mirror.campaigns (${columns}) values (${values})`;
const key = (columns: string, values: string) => `
  insert into campaign_mirror.access_keys (displayed, name, owner_id, ${columns}) values ('', '', 7, ${values})`;
const entry = (values: string) =>
  `insert into campaign_mirror.operator_audit (act, operator, request_id, details) values ('key-issued', ${values})`;
const mirror = (id: string) =>
  `insert into campaign_mirror.mirrors (campaign_id, target_url) values (${id}, 'http://x')`;
const setCampaign = (what: string, id: number) =>
  `update campaign_mirror.campaigns set ${what} where id = ${id}`;
const setClicks = (clicks: string) => `update campaign_mirror.mirrors set clicks = ${clicks}`;
const history = (actor: string, key: string, subject = 'null') => `
  insert into campaign_mirror.mirror_history (campaign_id, mirror_id, actor, access_key_id, subject, owner_id,
    address_before, address_after, changed_at, request_id)
  values (7, 1, '${actor}', ${key}, ${subject}, 7, 'a', 'b', now(), 'r')`;

/** One after the other; what is not refused is done. */
const statements: Record<string, readonly (readonly [sql: string, refusal?: string])[]> = {
  'a number below 1 or above 2^53-1 as an identifier or an owner': [tooGreat, '0', '-1'].flatMap((number) =>
    [
      campaign('id, owner_id', `${number}, 1`),
      campaign('owner_id', number),
      `insert into campaign_mirror.access_keys (hash, displayed, name, owner_id) values (${hash}, '', '', ${number})`,
    ].map((sql) => [sql, unfit] as const),
  ),
  'a key with another hash than one of SHA-256, or with no host or an unnamed one where it has hosts': [
    [key('hash', "'\\x00'"), unfit],
    [key('hash, hosts', `${hash}, '{}'`), unfit],
    [key('hash, hosts', `${hash}, '{a.example,NULL}'`), unfit],
    [key('hash, hosts', `${hash}, '{a.example}'`)],
    [key('hash', hash), notUnique],
    // Its uses are no reason to keep it.
    ['update campaign_mirror.access_keys set replaced_by = 9007199254740992', unfit],
    ['update campaign_mirror.key_uses set used_at = now()'],
    ['delete from campaign_mirror.access_keys'],
  ],
  'an entry of the audit that is longer than its limits': [
    [entry("'m', 'r', '{}'")],
    [entry("repeat('m', 200), repeat('r', 128), jsonb_build_object('a', repeat('x', 65527))")],
    [entry("repeat('m', 201), 'r', '{}'"), unfit],
    [entry("'m', repeat('r', 129), '{}'"), unfit],
    [entry("'m', 'r', jsonb_build_object('a', repeat('x', 65528))"), unfit],
  ],
  'clicks below 0 and above 2^53-1, and not 2^53-1 itself': [
    [setClicks('-1'), unfit],
    [setClicks(tooGreat), unfit],
    [setClicks('9007199254740991')],
    [setClicks('clicks + 1'), unfit],
  ],
  'a second default campaign of an owner, by insertion, by flag and by transfer': [
    [campaign('id, owner_id, is_default', '9, 7, true')],
    [campaign('owner_id, is_default', '7, true'), notUnique],
    [setCampaign('is_default = true', 7), notUnique],
    [setCampaign('is_default = true', 8)],
    [setCampaign('owner_id = 7', 8), notUnique],
  ],
  'a second mirror of a campaign, and one of no campaign': [
    [mirror('7'), notUnique],
    [mirror('4711'), noSuch],
  ],
  "a mirror's facts that are not its campaign's": [
    ['update campaign_mirror.mirrors set owner_id = 8', noSuch],
    ['update campaign_mirror.mirrors set is_default = true', noSuch],
  ],
  'history of a key without it, of the operator with one, of another actor without a name or with a key': [
    [history('key', 'null'), unfit],
    [history('key', '1', "'1'"), unfit],
    [history('operator', '1'), unfit],
    [history('operator', 'null', "'somebody'"), unfit],
    [history('jwt', 'null'), unfit],
    [history('jwt', '1', "'client-4'"), unfit],
    [history('jwt', 'null', "'client-4'")],
    [history('operator', 'null')],
    [history('key', '1')],
  ],
};

/** What the operator may write, by column; a flag has no extremes. */
const writable = `
  select relname as of, attname as column, atttypid::regtype::text as type, may
  from pg_class join pg_attribute on attrelid = pg_class.oid, unnest('{insert,update}'::text[]) as may
  where relnamespace = 'campaign_mirror'::regnamespace and relkind = 'r' and attnum > 0
    and atttypid <> 'boolean'::regtype and has_column_privilege(pg_class.oid, attnum, may) order by 1, 2, 4`;
const extremes: Record<string, readonly string[]> = {
  bigint: ['-1', '0', tooGreat, '9223372036854775807'],
  'timestamp with time zone': ["'-infinity'", "'infinity'", "'0001-12-31 BC'", "'10000-01-02'"],
  text: ["repeat('x', 2049)"],
  'text[]': ["'{}'", "'{NULL}'", "array[repeat('x', 100000)]"],
  bytea: ["'\\x00'", "sha512('')"],
};
const rowOf: Record<string, Record<string, string>> = {
  campaigns: { owner_id: '9' },
  mirrors: { campaign_id: '7 + n', target_url: "'http://x'" },
  access_keys: { hash: 'sha256(n::text::bytea)', displayed: "''", name: "''", owner_id: '9' },
};

describe('contract: the data around it — what the tables refuse', () => {
  const database = databaseOf('suite');
  before(async () => {
    await database.admin.query(campaign('id, owner_id', '7, 7), (8, 8'));
    await database.admin.query(mirror('7'));
  });

  it('no value, but for those that may be unknown', async () => {
    const { rows } =
      await database.admin.query(`select table_name as of, string_agg(column_name, ' ' order by ordinal_position) as all
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = 'campaign_mirror' and table_type = 'BASE TABLE' and table_name <> 'migrations' and is_nullable = 'YES'
      group by 1 order by 1`);
    expect(Object.fromEntries(rows.map((one) => [one.of, one.all]))).to.deep.equal({
      access_keys: 'hosts expires_at revoked_at replaced_by',
      campaigns: 'name',
      key_uses: 'used_at',
      mirror_history: 'previous_id access_key_id subject audit_id',
      mirrors: 'updated_externally_at last_change_id',
      operator_audit: 'campaign_id owner_id access_key_id part_of first_change_id last_change_id',
    });
  });

  it('with the password of the operator, in any column that it writes: a number, a time or a text that no reader takes', async () => {
    const client = await connect(database.address('operator'));
    const { rows } = await client.query(writable);
    expect(rows).to.have.length.above(20);
    for (const { of, column, type, may } of rows)
      for (const value of extremes[type] ?? [`'nothing is said of the type ${type}'`]) {
        const fields: Record<string, string> = { ...rowOf[of], [column]: value };
        // An entry of the audit has a limit of its own, and names one campaign only.
        const insert = `insert into campaign_mirror.${of} (${Object.keys(fields)})
          select ${Object.values(fields)} from generate_series(1, 2) as n`;
        const sql = may === 'insert' ? insert : `update campaign_mirror.${of} set ${column} = ${value}`;
        await client.query(`begin; ${key('hash', hash)}; ${campaign('id, owner_id', '9, 9')}`);
        const code = await client.query(sql).then(
          () => 'done',
          (error) => error.code,
        );
        await client.query('rollback');
        const isMeant = [`clicks 0`, `expires_at 'infinity'`].includes(`${column} ${value}`);
        expect(isMeant ? ['done'] : ['23514', '22008', '23503'], sql.slice(0, 200)).to.include(code);
      }
    await client.end();
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
