import * as domain from '@campaign-mirror/domain';
import { campaignColumns, inPages, type WantedMirror } from '@campaign-mirror/domain/operator';
import type { Call } from '../terminal/call.ts';
import { contentDigest, readCsv, sourceName } from '../terminal/csv-file.ts';
import { ClearError, orStopped } from '../terminal/errors.ts';
import type { InvalidLine, Plan } from './change-many.ts';
import { itIs, notANumber, whole } from './words.ts';

/** What a file names; an export is such a file, whose other columns are not used. */
const headings = {
  ...Object.fromEntries(campaignColumns.map((column) => [column, null])),
  ...{ campaign: 'campaign', campaign_id: 'campaign', id: 'campaign' },
  ...{ target_url: 'target_url', address: 'target_url' },
  ...{ expected: 'expected', expected_address: 'expected', expected_target_url: 'expected' },
} as const;
const columns = { headings, required: ['campaign', 'target_url'], ignoreOthers: true } as const;

/** In characters: lines are kept in memory, so that those are set that the question was about. */
const mostMemory = 400_000_000;
/** What a line takes beside its texts, about. */
const lineMemory = 200;

/**
 * Sets the mirrors that a file of CSV names. The file is read once, before anything is asked or set. Of several lines for
 * one campaign none is set. @throws ClearError when it cannot be read, or is not such a file; Interrupted
 */
export async function settingPlan(call: Call, path: string): Promise<Plan> {
  const name = sourceName(path);
  const wanted = new Map<domain.CampaignId, WantedMirror>();
  const repeated = new Set<domain.CampaignId>();
  const invalid: InvalidLine[] = [];
  // Another file of this name is another move, which never goes on with this one.
  const digest = contentDigest();
  const read = async () => {
    let memory = 0;
    for await (const { line, fields, invalid: because } of readCsv(call, path, columns)) {
      if (memory > mostMemory) throw new ClearError(`${name} is too large: leave out what stays as it is`);
      const { campaign: text = '', target_url: address = '', expected = '' } = fields ?? {};
      memory += lineMemory + address.length + expected.length;
      digest.update(JSON.stringify([text, address, expected]));
      const campaign = domain.campaignId(whole(text));
      const first = campaign && wanted.get(campaign);
      const refuse = (because: string, at = line) => invalid.push({ line: at, because });
      if (because) refuse(because);
      else if (campaign === undefined) refuse(`campaign: ${itIs(text)} ${notANumber(1)}`);
      else if (first === undefined)
        wanted.set(campaign, { line, campaign, address, expected: expected || undefined });
      else {
        if (!repeated.has(campaign)) refuse(`campaign ${campaign} is in line ${line}, too`, first.line);
        repeated.add(campaign);
        refuse(`campaign ${campaign} is in line ${first.line} already`);
      }
    }
  };
  await read().catch((error) => Promise.reject(orStopped(error, 'Stopped. Nothing was done.')));
  for (const campaign of repeated) wanted.delete(campaign);
  const total = wanted.size + invalid.length;
  return {
    act: { kind: 'mirrors-moved', details: { source: name, digest: digest.digest('hex') } },
    pages: () => inPages(wanted.values()),
    // Set is what the question has shown.
    shown: ({ campaign, before }) => {
      const line = wanted.get(campaign);
      if (line && before !== null) wanted.set(campaign, { ...line, expected: before });
    },
    invalid: invalid.toSorted((one, next) => one.line - next.line),
    verb: 'set',
    total: wanted.size,
    direction: `from ${name}`,
    none: `${name} changes nothing: ${total > 0 ? 'each mirror has its address already' : 'it has no lines'}.`,
  };
}
