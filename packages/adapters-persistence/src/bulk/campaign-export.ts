import type * as operator from '@campaign-mirror/domain/operator';
import type { Pool } from 'pg';
import { to } from 'pg-copy-streams';
import { ofOneMoment } from '../connection/transaction.ts';
import { timestampText } from '../schema/stored-values.ts';

/** The columns of `campaignColumns`. */
const rows = `
  select campaigns.id, name, campaigns.owner_id, campaigns.is_default, ${timestampText('campaigns.created_at')} as created_at,
    mirrors.id as mirror_id, target_url, clicks, updated_externally,
    ${timestampText('updated_externally_at')} as updated_externally_at,
    ${timestampText('mirrors.created_at')} as mirror_created_at, ${timestampText('updated_at')} as mirror_updated_at
  from campaign_mirror.campaigns left join campaign_mirror.mirrors on campaign_id = campaigns.id
  order by campaigns.id`;

/** COPY writes booleans as t and f. Of JSON, which has no control characters, it leaves each line as it is. */
const copies = {
  csv: `copy (
    select id, name, owner_id, is_default::text, created_at, mirror_id, target_url, clicks, updated_externally::text,
      updated_externally_at, mirror_created_at, mirror_updated_at
    from (${rows}) as one) to stdout (format csv, header)`,
  json: `copy (select to_json(one) from (${rows}) as one) to stdout (format csv, delimiter E'\\x02', quote E'\\x01')`,
};

/** RFC 4180, section 2.1. Neither a name nor an address contains a line break. */
const withCarriageReturns = (lines: Buffer) =>
  Buffer.from(lines.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');

/** Exports from PostgreSQL. `signal` ends it at once, by throwing the signal's reason. */
export const postgresCampaignExport = (pool: Pool, signal?: AbortSignal): operator.CampaignExport => ({
  copyTo: async (format, write) => {
    let campaigns = 0;
    const copying = ofOneMoment<Buffer>(pool, signal, async function* (client) {
      const stream = client.query(to(copies[format]));
      yield* stream;
      campaigns = stream.rowCount;
    });
    for await (const chunk of copying)
      if (!(await write(format === 'csv' ? withCarriageReturns(chunk) : chunk))) break;
    return campaigns;
  },
});
