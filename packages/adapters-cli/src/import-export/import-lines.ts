import * as domain from '@campaign-mirror/domain';
import { type CsvColumns, readCsv } from '../terminal/csv-file.ts';

const columns = domain.campaignFields.map((field) => [field, field] as const);
const headings = { ...Object.fromEntries(columns), campaign_id: 'id' } as Record<
  string,
  domain.CampaignField
>;
const empty = Object.fromEntries(columns.map(([field]) => [field, ''])) as domain.CampaignFields;

/**
 * Reads the lines of a CSV file of campaigns and checks them. A column that is not in the header is empty in every line.
 * @throws ClearError when the file is not CSV, or the header does not name the columns
 */
export async function* importLines(
  bytes: AsyncIterable<Buffer>,
  denied: domain.HostList,
  leaveOut: CsvColumns<domain.CampaignField>['leaveOut'],
): AsyncGenerator<domain.ImportLine> {
  for await (const read of readCsv(bytes, { headings, required: ['owner_id'], leaveOut })) {
    const { line } = read;
    if ('unread' in read) yield { line, faults: [{ kind: 'unread', because: read.unread }] };
    else yield { line, ...domain.importedCampaign({ ...empty, ...read.fields }, denied) };
  }
}
