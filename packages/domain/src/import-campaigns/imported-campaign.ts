import type { Mirror } from '../set-campaign-mirror/campaign-repository.ts';
import {
  type CampaignId,
  campaignId,
  type Label,
  label,
  type MirrorId,
  mirrorId,
  type OwnerId,
  ownerId,
  type Timestamp,
  timestamp,
} from '../values/identifiers.ts';
import { type AddressFault, type HostDenylist, mirrorAddress } from '../values/mirror-address.ts';
import { type CampaignField, type CampaignFields, campaignFields } from './campaign-fields.ts';

/** A campaign to import. The store chooses the value of a null field: the next number, or the current time. */
export interface ImportedCampaign {
  readonly id: CampaignId | null;
  readonly name: Label | null;
  readonly ownerId: OwnerId;
  readonly isDefault: boolean;
  readonly createdAt: Timestamp | null;
  readonly mirror: ImportedMirror | null;
}

/** The mirror of an imported campaign. The store chooses the value of a null field. */
export interface ImportedMirror
  extends Pick<Mirror, 'targetUrl' | 'clicks' | 'updatedExternally' | 'updatedExternallyAt'> {
  readonly id: MirrorId | null;
  readonly createdAt: Timestamp | null;
  readonly updatedAt: Timestamp | null;
}

/** The values of a line that only one campaign can have. Each is null if it is missing or invalid. */
export interface Claims {
  readonly id: CampaignId | null;
  readonly name: Label | null;
  readonly mirrorId: MirrorId | null;
  /** The owner whose default campaign it would be. */
  readonly defaultOf: OwnerId | null;
}

/** Why a field cannot be read. */
export type FieldFault =
  | 'missing'
  | 'not-an-identifier'
  | 'not-a-name'
  | 'not-a-flag'
  | 'not-a-count'
  | 'not-a-time'
  /** `updated_externally_at` is there without an external update, or is missing. */
  | 'contradiction'
  | AddressFault;

/** A field that cannot be read. */
export interface BadField {
  readonly kind: 'bad-field';
  readonly field: CampaignField;
  readonly because: FieldFault;
}

/**
 * Reads the fields of a campaign: returns the campaign, or all faults of the fields. Only the owner is required. Flags are
 * true or false in upper or lower case, since spreadsheets write them so.
 */
export function importedCampaign(
  fields: CampaignFields,
  denied: HostDenylist,
):
  | { readonly campaign: ImportedCampaign }
  | { readonly faults: readonly BadField[]; readonly claims: Claims } {
  const faults: BadField[] = [];
  const refuse = (field: CampaignField, because: FieldFault) => {
    faults.push({ kind: 'bad-field', field, because });
    return null;
  };
  const read = <T>(field: CampaignField, reader: (text: string) => T | undefined, because: FieldFault) =>
    fields[field] === '' ? null : (reader(fields[field]) ?? refuse(field, because));

  const id = read('id', campaignId, 'not-an-identifier');
  const name = read('name', label, 'not-a-name');
  const owner =
    fields.owner_id === '' ? refuse('owner_id', 'missing') : read('owner_id', ownerId, 'not-an-identifier');
  const isDefault = read('is_default', flag, 'not-a-flag') ?? false;
  const createdAt = read('created_at', timestamp, 'not-a-time');
  const mirrorFields = {
    id: read('mirror_id', mirrorId, 'not-an-identifier'),
    targetUrl: address(),
    clicks: read('clicks', count, 'not-a-count') ?? 0,
    updatedExternally: read('updated_externally', flag, 'not-a-flag') ?? false,
    updatedExternallyAt: read('updated_externally_at', timestamp, 'not-a-time'),
    createdAt: read('mirror_created_at', timestamp, 'not-a-time'),
    updatedAt: read('mirror_updated_at', timestamp, 'not-a-time'),
  };
  const isFlagReadable = faults.every(({ field }) => field !== 'updated_externally');
  if (isFlagReadable && mirrorFields.updatedExternally !== (fields.updated_externally_at !== '')) {
    refuse('updated_externally_at', 'contradiction');
  }

  if (faults.length > 0 || owner === null) {
    return { faults, claims: { id, name, mirrorId: mirrorFields.id, defaultOf: isDefault ? owner : null } };
  }
  const { targetUrl } = mirrorFields;
  const mirror = targetUrl === null ? null : { ...mirrorFields, targetUrl };
  return { campaign: { id, name, ownerId: owner, isDefault, createdAt, mirror } };

  function address() {
    if (fields.target_url === '') return hasMirrorFields(fields) ? refuse('target_url', 'missing') : null;
    const result = mirrorAddress(fields.target_url, denied);
    return typeof result === 'string' ? result : refuse('target_url', result.fault);
  }
}

/** The values of a valid campaign that only one campaign can have. */
export function claimsOf({ id, name, ownerId, isDefault, mirror }: ImportedCampaign): Claims {
  return { id, name, mirrorId: mirror?.id ?? null, defaultOf: isDefault ? ownerId : null };
}

/** Whether any field of the mirror other than its address has a value. */
function hasMirrorFields(fields: CampaignFields): boolean {
  const after = campaignFields.slice(campaignFields.indexOf('target_url') + 1);
  return fields.mirror_id !== '' || after.some((field) => fields[field] !== '');
}

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
