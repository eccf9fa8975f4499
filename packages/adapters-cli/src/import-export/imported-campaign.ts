import * as domain from '@campaign-mirror/domain';
import type { ImportedCampaign, ImportFault } from '@campaign-mirror/domain/operator';
import { type CampaignField, campaignFields } from '../commands/campaign-fields.ts';
import { addressFaults, campaignNamed, inDigits, notAnIdentifier } from '../commands/words.ts';
import { inSnakeCase, printable } from '../terminal/errors.ts';

/** Why a field of a campaign is refused, in words. */
const fieldFaults = {
  missing: 'it must not be empty',
  'not-an-identifier': notAnIdentifier,
  'not-a-name': 'it must be a name on one line, of 1 to 200 characters',
  'not-a-flag': 'it must be true or false',
  'not-a-count': `it must be a whole number from 0 to 9007199254740991, ${inDigits}`,
  'not-a-time':
    'it must be a time such as 2026-11-20T15:36:00.123456Z, which a spreadsheet keeps in a column of text',
  'in-the-future': 'it lies more than an hour ahead of the clock of the database',
  contradiction: 'it must be there when updated_externally is true, and only then',
  ...addressFaults,
} as const;

type FieldFault = keyof typeof fieldFaults;

/** Reads a campaign from the text of its fields, or says what is wrong with them. Only the owner is required. */
export function importedCampaign(
  fields: Readonly<Partial<Record<CampaignField, string>>>,
  denied: domain.HostList,
) {
  const faults = new Map<CampaignField, FieldFault>();
  const refuse = (field: CampaignField, because: FieldFault) => {
    faults.set(field, because);
    return null;
  };
  const read = <T>(field: CampaignField, reader: (text: string) => T | undefined, because: FieldFault) =>
    fields[field] ? (reader(fields[field]) ?? refuse(field, because)) : null;
  const identifier = <T>(field: CampaignField, reader: (text: string) => T | undefined) =>
    read(field, reader, 'not-an-identifier');
  const time = (field: CampaignField) => read(field, domain.timestamp, 'not-a-time');
  const address = () => {
    const ofMirror = campaignFields.slice(campaignFields.indexOf('mirror_id'));
    if (!ofMirror.some((field) => fields[field])) return null;
    if (!fields.target_url) return refuse('target_url', 'missing');
    const result = domain.mirrorAddress(fields.target_url, denied);
    return typeof result === 'string' ? result : refuse('target_url', result.fault);
  };

  const id = identifier('id', domain.campaignId);
  const name = read('name', domain.label, 'not-a-name');
  const ownerId = fields.owner_id ? identifier('owner_id', domain.ownerId) : refuse('owner_id', 'missing');
  const isDefault = read('is_default', flag, 'not-a-flag') ?? false;
  const createdAt = time('created_at');
  const mirror = {
    id: identifier('mirror_id', domain.mirrorId),
    targetUrl: address(),
    clicks: read('clicks', count, 'not-a-count') ?? 0,
    updatedExternally: read('updated_externally', flag, 'not-a-flag') ?? false,
    updatedExternallyAt: time('updated_externally_at'),
    createdAt: time('mirror_created_at'),
    updatedAt: time('mirror_updated_at'),
  };
  const isExternal = Boolean(fields.updated_externally_at);
  if (!faults.has('updated_externally') && mirror.updatedExternally !== isExternal)
    refuse('updated_externally_at', 'contradiction');

  if (faults.size > 0 || ownerId === null) return { campaign: null, faults };
  const { targetUrl } = mirror;
  const campaign: ImportedCampaign = {
    ...{ id, name, ownerId, isDefault, createdAt },
    mirror: targetUrl === null ? null : { ...mirror, targetUrl },
  };
  return { campaign, faults };
}

/** In upper or lower case, since spreadsheets write it so. */
function flag(text: string): boolean | undefined {
  if (/^true$/i.test(text)) return true;
  return /^false$/i.test(text) ? false : undefined;
}

/** From 0 to 2^53-1. */
function count(text: string): number | undefined {
  return text === '0' ? 0 : domain.campaignId(text);
}

/** A fault of a line as it is printed: its kind, its column, or null if it is not in one, and the reason. */
export interface BadLine {
  readonly line: number;
  readonly column: CampaignField | null;
  readonly fault: string;
  readonly reason: string;
}

export function badField(line: number, column: CampaignField, because: FieldFault): BadLine {
  return { line, column, fault: 'bad-field', reason: fieldFaults[because] };
}

/** What the store refuses. */
export function refusedLine(line: number, fault: ImportFault): BadLine {
  if (fault.kind === 'in-the-future')
    return badField(line, inSnakeCase(fault.time) as CampaignField, fault.kind);
  const bad = (column: CampaignField, what: string, remedy = '') => {
    const taken =
      fault.line === null ? `there is a ${what} already` : `${what} is in line ${fault.line} already`;
    return { line, column, fault: fault.kind, reason: `${taken}${remedy}` };
  };
  switch (fault.kind) {
    case 'campaign-taken':
      return bad('id', `campaign ${fault.id}`);
    case 'mirror-taken':
      return bad('mirror_id', `mirror ${fault.id}`);
    case 'second-default':
      return bad('is_default', `default campaign of the owner ${fault.id}`);
    case 'duplicate': {
      const { id, ownerId, name } = fault;
      const unnumbered = `campaign${name === null ? '' : ` "${printable(name)}"`}`;
      const campaign = id === null ? unnumbered : campaignNamed(id, name);
      const like = `${campaign} of the owner ${ownerId}${name === null ? ' without a name, with this address,' : ''}`;
      const remedy = ': give the line its id, leave it out, or add --allow-duplicates';
      return bad(name === null ? 'target_url' : 'name', like, remedy);
    }
  }
}
