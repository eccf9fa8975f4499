import * as domain from '@campaign-mirror/domain';
import { campaignColumns, type DesiredMirror, inBatches } from '@campaign-mirror/domain/operator';
import type { Call } from '../terminal/call.ts';
import { orStopped } from '../terminal/errors.ts';
import { contentDigest, notANumber, readCsv, sourceName, valueIs, whole } from '../terminal/files.ts';
import type { InvalidLine, Plan } from './run-plan.ts';

/** The other columns of an export are accepted and not used. */
const headings = {
  ...Object.fromEntries(campaignColumns.map((column) => [column, null])),
  ...{ campaign: 'campaign', campaign_id: 'campaign', id: 'campaign' },
  ...{ target_url: 'target_url', address: 'target_url' },
  ...{ expected: 'expected', expected_address: 'expected', expected_target_url: 'expected' },
} as const;
const columns = { headings, required: ['campaign', 'target_url'], ignoreOthers: true } as const;

/** If a campaign is in several lines, none of them is set. @throws ClearError for an invalid file; Interrupted */
export async function planFromFile(call: Call, path: string): Promise<Plan> {
  const name = sourceName(path);
  const wanted = new Map<domain.CampaignId, DesiredMirror>();
  const repeated = new Set<domain.CampaignId>();
  const invalid: InvalidLine[] = [];
  // A different file with the same name is a different move.
  const digest = contentDigest();
  const read = async () => {
    for await (const { line, fields, invalid: because } of readCsv(call, path, columns)) {
      const { campaign: text = '', target_url: address = '', expected = '' } = fields ?? {};
      digest.update(JSON.stringify([text, address, expected]));
      const campaign = domain.campaignId(whole(text));
      const first = campaign && wanted.get(campaign);
      const refuse = (because: string, at = line) => invalid.push({ line: at, because });
      if (because) refuse(because);
      else if (campaign === undefined) refuse(`campaign: ${valueIs(text)} ${notANumber(1)}`);
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
    batches: () => inBatches(wanted.values()),
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
