import type {
  AccessKeyId,
  AddressFault,
  CampaignId,
  KeyRotation,
  OwnerHasDefault,
  Refusal,
} from '@campaign-mirror/domain';
import { ClearError } from '../terminal/clear-error.ts';
import { printable } from '../terminal/escapes.ts';

/** The texts for refusals by the store or the domain. */
export function ownerHasDefault({ ownerId, id, name }: OwnerHasDefault): ClearError {
  return new ClearError(
    `the owner ${ownerId} has a default campaign already: ${campaignNamed(id, name)}; ` +
      `\`./campaign-mirror campaign unset-default ${id}\` makes it an ordinary one`,
  );
}

export function noSuchCampaign(id: CampaignId): ClearError {
  return new ClearError(`there is no campaign ${id}`);
}

export const addressFaults: Readonly<Record<AddressFault, string>> = {
  'too-long': 'it must not be longer than 2048 characters',
  'not-a-url':
    'it must be a URL such as https://example.com/, without credentials, white space or a backslash',
  'denied-host': 'MIRROR_HOST_DENYLIST denies its host',
};

/** Such as `campaign 42 "Summer"`; without a number, which the import assigns, `a new campaign "Summer"`. */
export function campaignNamed(id: CampaignId | null, name: string | null): string {
  const campaign = id === null ? 'a new campaign' : `campaign ${id}`;
  return name === null ? campaign : `${campaign} "${printable(name)}"`;
}

export function noSuchKey(id: AccessKeyId): ClearError {
  return new ClearError(`there is no key ${id}`);
}

/** Why a key was not rotated, and what to do instead. */
export function notRotated(id: AccessKeyId, refused: Exclude<KeyRotation, { kind: 'rotated' }>): ClearError {
  if (refused.kind === 'key-not-found') return noSuchKey(id);
  if (refused.kind === 'key-replaced') {
    return new ClearError(
      `key ${id} was replaced by key ${refused.by} already: rotate that one, or issue another with \`./campaign-mirror key issue\``,
    );
  }
  const over = refused.kind === 'key-revoked' ? 'revoked' : 'expired';
  return new ClearError(`key ${id} is ${over}: issue another with \`./campaign-mirror key issue\``);
}

/** The texts for refusals by the rules; a new rule does not compile until it has a text. */
const words: Readonly<Record<Refusal, (campaign: CampaignId) => string>> = {
  'mirror-not-created': (campaign) =>
    `the campaign ${campaign} has no mirror: \`./campaign-mirror mirror create ${campaign}\` creates it`,
  'default-campaign': (campaign) =>
    `the campaign ${campaign} is its owner's default campaign, whose mirror cannot be set: ` +
    `\`./campaign-mirror campaign unset-default ${campaign}\` makes it an ordinary one`,
  'not-the-owner': (campaign) =>
    `the campaign ${campaign} belongs to another owner than the key: use a key of the campaign's owner`,
};

export function mirrorRefused(campaign: CampaignId, because: Refusal): ClearError {
  return new ClearError(words[because](campaign));
}
