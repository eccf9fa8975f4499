import * as domain from '@campaign-mirror/domain';
import {
  type CampaignColumn,
  campaignColumns,
  type ImportedCampaign,
  type ImportFault,
  type ImportLine,
} from '@campaign-mirror/domain/operator';
import { addressFaults, itIs, notANumber, whole } from '../commands/words.ts';
import type { Call } from '../terminal/call.ts';
import { readCsv } from '../terminal/csv-file.ts';

const headings: Readonly<Record<string, CampaignColumn>> = {
  ...Object.fromEntries(campaignColumns.map((column) => [column, column])),
  campaign_id: 'id',
};

/** Reads the lines of a CSV file of campaigns. @throws as `readCsv` */
export async function* importLines(
  call: Call,
  path: string,
  ignoreOthers: boolean,
  denied: domain.HostList,
): AsyncGenerator<ImportLine> {
  const columns = { headings, required: ['owner_id'], ignoreOthers } as const;
  for await (const { line, fields, invalid } of readCsv(call, path, columns)) {
    if (fields) yield { line, ...importedCampaign(fields, denied) };
    else yield { line, campaign: null, faults: [{ column: null, fault: 'invalid', reason: invalid }] };
  }
}

type Fields = Readonly<Partial<Record<CampaignColumn, string>>>;

/** How the text of a column is read, and why one is refused that yields undefined. */
type Reader = readonly [read: (text: string) => unknown, refusal: string];

/** In upper or lower case, since spreadsheets write it so. */
const isTrue = (text: string) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined);
const flag: Reader = [isTrue, 'must be true or false'];
const identifier: Reader = [(text) => domain.campaignId(whole(text)), notANumber(1)];
const time: Reader = [
  domain.timestamp,
  'must be a time such as 2026-11-20T15:36:00.123456Z, which a spreadsheet keeps in a column of text',
];
const readers: Readonly<Record<CampaignColumn, Reader>> = {
  id: identifier,
  name: [domain.label, 'must be a name on one line, of 1 to 200 characters'],
  owner_id: identifier,
  is_default: flag,
  created_at: time,
  mirror_id: identifier,
  target_url: [String, 'never: `misfit` judges it'],
  clicks: [(text) => (whole(text) === '0' ? 0 : domain.campaignId(whole(text))), notANumber(0)],
  updated_externally: flag,
  updated_externally_at: time,
  mirror_created_at: time,
  mirror_updated_at: time,
};

/** Reads a campaign from its fields, of which only the owner is required, or says all that is wrong with them. */
export function importedCampaign(fields: Fields, denied: domain.HostList) {
  const faults: ImportFault[] = [];
  const values = campaignColumns.map((column) => {
    const [read, refusal] = readers[column];
    const text = fields[column];
    const value = text ? read(text) : null;
    const reason = value === undefined ? `${itIs(text)} ${refusal}` : misfit(column, fields, denied);
    if (reason) faults.push({ column, fault: 'invalid', reason });
    return [column, value];
  });
  return { campaign: faults.length > 0 ? null : (Object.fromEntries(values) as ImportedCampaign), faults };
}

/** Why a field is refused that depends on others, or on the denied hosts. */
function misfit(column: CampaignColumn, fields: Fields, denied: domain.HostList): string | undefined {
  const missing = 'it must not be empty';
  if (column === 'owner_id') return fields.owner_id ? undefined : missing;
  if (column === 'target_url') {
    const described = campaignColumns.slice(campaignColumns.indexOf('mirror_id')).find((one) => fields[one]);
    if (!fields.target_url) return described && `${missing}, since ${described} is not`;
    const address = domain.mirrorAddress(fields.target_url, denied);
    return typeof address === 'string' ? undefined : addressFaults[address.fault];
  }
  const isContrary = isTrue(fields.updated_externally || 'false') === !fields.updated_externally_at;
  return column === 'updated_externally_at' && isContrary
    ? 'it must be there when updated_externally is true, and only then'
    : undefined;
}
