import type { CampaignRecord } from '../operator/campaign-settings.ts';
import type { Mirror } from '../set-campaign-mirror/campaign-repository.ts';
import * as values from '../values/identifiers.ts';
import { type AddressFault, type HostList, mirrorAddress } from '../values/mirror-address.ts';

/** The fields of a campaign in its text form, such as the columns of CSV, in this order. */
export const campaignFields = [
  'id',
  'name',
  'owner_id',
  'is_default',
  'created_at',
  'mirror_id',
  'target_url',
  'clicks',
  'updated_externally',
  'updated_externally_at',
  'mirror_created_at',
  'mirror_updated_at',
] as const;

/** The name of a field. */
export type CampaignField = (typeof campaignFields)[number];

/** The fields of a campaign as text; empty for a missing value, such as no name or no mirror. */
export type CampaignFields = Readonly<Record<CampaignField, string>>;

/** The fields of a campaign as values; null for a missing value. */
export type CampaignValues = Readonly<Record<CampaignField, string | number | boolean | null>>;

/** A campaign to import. The store chooses the value of a null field: the next number, or the current time. */
export interface ImportedCampaign {
  readonly id: values.CampaignId | null;
  readonly name: values.Label | null;
  readonly ownerId: values.OwnerId;
  readonly isDefault: boolean;
  readonly createdAt: values.Timestamp | null;
  readonly mirror: ImportedMirror | null;
}

/** The mirror of an imported campaign. */
export interface ImportedMirror
  extends Pick<Mirror, 'targetUrl' | 'clicks' | 'updatedExternally' | 'updatedExternallyAt'> {
  readonly id: values.MirrorId | null;
  readonly createdAt: values.Timestamp | null;
  readonly updatedAt: values.Timestamp | null;
}

/** Why a field cannot be read. */
export type FieldFault =
  | 'missing'
  | 'not-an-identifier'
  | 'not-a-name'
  | 'not-a-flag'
  | 'not-a-count'
  | 'not-a-time'
  /** More than an hour ahead of the store's clock. */
  | 'in-the-future'
  /** `updated_externally_at` is there without an external update, or is missing. */
  | 'contradiction'
  | AddressFault;

/** A field that cannot be read, and why. */
export interface BadField {
  readonly kind: 'bad-field';
  readonly field: CampaignField;
  readonly because: FieldFault;
}

/** The fields of a campaign. `importedCampaign` reads the same campaign from their text. */
export function fieldsOf({ mirror, ...campaign }: CampaignRecord | ImportedCampaign): CampaignValues {
  return {
    id: campaign.id,
    name: campaign.name,
    owner_id: campaign.ownerId,
    is_default: campaign.isDefault,
    created_at: campaign.createdAt,
    mirror_id: mirror?.id ?? null,
    target_url: mirror?.targetUrl ?? null,
    clicks: mirror?.clicks ?? null,
    updated_externally: mirror?.updatedExternally ?? null,
    updated_externally_at: mirror?.updatedExternallyAt ?? null,
    mirror_created_at: mirror?.createdAt ?? null,
    mirror_updated_at: mirror?.updatedAt ?? null,
  };
}

/** Reads the fields of a campaign: returns the campaign, or all faults of the fields. Only the owner is required. */
export function importedCampaign(
  fields: CampaignFields,
  denied: HostList,
): { readonly campaign: ImportedCampaign } | { readonly faults: readonly BadField[] } {
  const faults: BadField[] = [];
  const refuse = (field: CampaignField, because: FieldFault) => {
    faults.push({ kind: 'bad-field', field, because });
    return null;
  };
  const read = <T>(field: CampaignField, reader: (text: string) => T | undefined, because: FieldFault) =>
    fields[field] === '' ? null : (reader(fields[field]) ?? refuse(field, because));
  const identifier = <T>(field: CampaignField, reader: (text: string) => T | undefined) =>
    read(field, reader, 'not-an-identifier');
  const time = (field: CampaignField) => read(field, values.timestamp, 'not-a-time');

  const id = identifier('id', values.campaignId);
  const name = read('name', values.label, 'not-a-name');
  const owner =
    fields.owner_id === '' ? refuse('owner_id', 'missing') : identifier('owner_id', values.ownerId);
  const isDefault = read('is_default', flag, 'not-a-flag') ?? false;
  const createdAt = time('created_at');
  const mirrorFields = {
    id: identifier('mirror_id', values.mirrorId),
    targetUrl: address(),
    clicks: read('clicks', count, 'not-a-count') ?? 0,
    updatedExternally: read('updated_externally', flag, 'not-a-flag') ?? false,
    updatedExternallyAt: time('updated_externally_at'),
    createdAt: time('mirror_created_at'),
    updatedAt: time('mirror_updated_at'),
  };
  const isFlagReadable = faults.every(({ field }) => field !== 'updated_externally');
  if (isFlagReadable && mirrorFields.updatedExternally !== (fields.updated_externally_at !== ''))
    refuse('updated_externally_at', 'contradiction');

  if (faults.length > 0 || owner === null) return { faults };
  const { targetUrl } = mirrorFields;
  const mirror = targetUrl === null ? null : { ...mirrorFields, targetUrl };
  return { campaign: { id, name, ownerId: owner, isDefault, createdAt, mirror } };

  function address() {
    const ofMirror = campaignFields.slice(campaignFields.indexOf('mirror_id'));
    if (ofMirror.every((field) => fields[field] === '')) return null;
    if (fields.target_url === '') return refuse('target_url', 'missing');
    const result = mirrorAddress(fields.target_url, denied);
    return typeof result === 'string' ? result : refuse('target_url', result.fault);
  }
}

/** In upper or lower case, since spreadsheets write it so. */
function flag(text: string): boolean | undefined {
  if (/^true$/i.test(text)) return true;
  return /^false$/i.test(text) ? false : undefined;
}

/** From 0 to 2^53-1. */
function count(text: string): number | undefined {
  if (!/^(?:0|[1-9][0-9]{0,15})$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Why a line cannot be imported. */
export type LineFault =
  | BadField
  /** Another has the number, or is the default campaign of this owner: an earlier line or, if `line` is null, the store. */
  | { readonly kind: 'campaign-taken'; readonly id: values.CampaignId; readonly line: number | null }
  | { readonly kind: 'mirror-taken'; readonly id: values.MirrorId; readonly line: number | null }
  | { readonly kind: 'second-default'; readonly id: values.OwnerId; readonly line: number | null }
  /** The line has no number, and the owner and the name or, without a name, the address of this campaign or earlier line. */
  | {
      readonly kind: 'duplicate';
      /** In the store; null if it is in an earlier line. */
      readonly id: values.CampaignId | null;
      readonly line: number | null;
      readonly ownerId: values.OwnerId;
      readonly name: string | null;
    }
  /** The driving adapter could not read the line; the text is the adapter's. */
  | { readonly kind: 'unread'; readonly because: string };

/** A line: its number, from 1, and the campaign or the faults in it. */
export type ImportLine = { readonly line: number } & (
  | { readonly campaign: ImportedCampaign }
  | { readonly faults: readonly LineFault[] }
);

/** A fault of a line. Lines are numbered from 1. */
export interface BadLine {
  readonly line: number;
  readonly fault: LineFault;
}

/** What an import did. */
export type ImportOutcome =
  /** What was imported or, in a dry run, would have been. */
  | { readonly kind: 'imported'; readonly campaigns: number; readonly mirrors: number }
  /** Nothing was imported, because of so many bad lines. */
  | { readonly kind: 'refused'; readonly badLines: number };

/** How lines are imported. */
export interface ImportOptions {
  /** Check the lines as an import does, and write nothing. */
  readonly dryRun: boolean;
  /** Import lines even if they are a `duplicate`. */
  readonly allowDuplicates: boolean;
}

/** Imports campaigns. */
export interface CampaignImport {
  /**
   * Imports every line or none. `report` is awaited for each fault, in the order of the lines; for duplicates only if
   * nothing else is bad. Campaigns keep their numbers; the sequences continue after the highest one. The audit has the
   * `source` of the lines. An error from `lines` or `report` ends the import, and nothing is imported.
   */
  importAll(
    source: string,
    lines: AsyncIterable<ImportLine>,
    report: (bad: BadLine) => Promise<void>,
    options: ImportOptions,
  ): Promise<ImportOutcome>;
}

/** Reads all campaigns. */
export interface CampaignExport {
  /** Every campaign with its mirror, by ascending number, all from one snapshot. */
  all(): AsyncIterable<CampaignRecord>;
}
