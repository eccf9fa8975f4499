import * as domain from '@campaign-mirror/domain';
import type * as operators from '@campaign-mirror/domain/operator';
import { ClearError, counted, printable } from '../terminal/errors.ts';

/** Why an address is refused: the text of the contract, and the list of hosts that refuses it. */
export const addressFaults: Readonly<Record<domain.AddressFault, string>> = {
  ...Object.fromEntries(
    Object.entries(domain.addressFaults).map(([fault, text]): string[] => [fault, `it ${text}`]),
  ),
  'denied-host': `it ${domain.addressFaults['denied-host']}, which the host denylist contains`,
  'host-not-of-key': `it ${domain.addressFaults['host-not-of-key']}, which is not one of the key's hosts`,
};

type Refusal =
  | operators.NotSet
  | Exclude<domain.Outcome, { kind: 'mirror-set' }>
  | operators.OwnerHasDefault
  | { readonly kind: 'mirror-exists' };
type Texts<Reason extends string> = Readonly<Record<Reason, (id: domain.CampaignId, it: string) => string>>;

/** Why an act on a campaign is refused, and what to do instead. `it`: the subject of the sentence. */
const texts: Texts<domain.Refusal> &
  Texts<'unauthenticated' | 'campaign-not-found' | 'mirror-exists' | 'other'> = {
  unauthenticated: () =>
    'the access key is malformed, unknown, expired or revoked: `./campaign-mirror key issue` issues another',
  'campaign-not-found': (id) =>
    `there is no campaign ${id}: \`./campaign-mirror campaign list\` shows those that exist`,
  'mirror-exists': (id, it) =>
    `${it} has a mirror already: \`./campaign-mirror mirror set ${id} URL --as-operator\` gives it another address`,
  'mirror-not-created': (id, it) =>
    `${it} has no mirror: \`./campaign-mirror mirror create ${id} --target-url URL\` creates it`,
  'default-campaign': (id, it) => `${it} is its owner's default campaign: ${unsetDefault(id)}`,
  'not-the-owner': (_, it) =>
    `${it} belongs to another owner than the key: use a key of the campaign's owner`,
  other: (id, it) =>
    `the mirror of ${it} was changed meanwhile, so nothing was done: see \`./campaign-mirror mirror history ${id}\``,
};

/** The error of a refused act on a campaign. `address` begins the message about an invalid address. */
export function campaignRefused(
  campaign: domain.CampaignId,
  refusal: Refusal,
  address = 'the target URL is refused',
): ClearError {
  if (typeof refusal === 'object' && refusal.kind === 'owner-has-default')
    return new ClearError(
      `owner ${refusal.ownerId} has a default campaign already: ${campaignNamed(refusal.id, refusal.name)}; ` +
        unsetDefault(refusal.id),
    );
  let reason: string = typeof refusal === 'string' ? refusal : refusal.kind;
  if (reason === 'refused' || reason === 'invalid-address') reason = Object(refusal).because;
  const fault = addressFaults[reason as domain.AddressFault];
  const text = texts[reason as keyof typeof texts] ?? texts.other;
  return new ClearError(fault ? `${address}: ${fault}` : text(campaign, `campaign ${campaign}`));
}

/** Why a command for many mirrors did not set this one. */
export function notSetText(because: operators.NotSet, outcome: Partial<operators.ChangeOutcome>): string {
  const { campaign, before, after, by } = outcome;
  const fault = addressFaults[because as domain.AddressFault];
  if (fault) return `the new address is ${after === '' ? 'empty' : 'refused'}: ${fault}`;
  const own: Readonly<Partial<Record<operators.NotSet, string>>> = {
    'campaign-not-found': 'there is no such campaign',
    'not-as-expected': `its address is ${printable(before ?? '')}`,
    'changed-since': `it was changed since by ${by ?? 'somebody'}`,
    'changed-meanwhile': 'the campaign or its mirror was changed meanwhile',
    locked: 'another transaction has locked its mirror',
  };
  return own[because] ?? texts[because as domain.Refusal](campaign as domain.CampaignId, 'it');
}

function unsetDefault(campaign: domain.CampaignId): string {
  return `\`./campaign-mirror campaign unset-default ${campaign}\` makes it an ordinary one`;
}

export function campaignNamed(id: domain.CampaignId, name: string | null): string {
  return name === null ? `campaign ${id}` : `campaign ${id} "${printable(name)}"`;
}

export const hostsNamed = (hosts: readonly operators.Host[]) =>
  hosts.map(({ written }) => written).join(' or ');

export function unmovedText({ below, elsewhere }: operators.UnmovedCounts, hosts: readonly operators.Host[]) {
  const named = hostsNamed(hosts);
  const on = `${counted(below, 'mirror is', 'mirrors are')} on a name below ${named}: --subdomains moves these, too.`;
  const has = `${counted(elsewhere, 'mirror has', 'mirrors have')} ${named} in another part of the address: it stays.`;
  return [below > 0 && on, elsewhere > 0 && has].filter(Boolean).join(' ');
}

export function limitedKeysText(ids: readonly domain.AccessKeyId[], host: string): string {
  if (ids.length === 0) return '';
  const numbers = `${ids.slice(0, 10).join(', ')}${ids.length > 10 ? ', …' : ''}`;
  return (
    `${counted(ids.length, 'key is', 'keys are')} limited to the old hosts (${numbers}), and cannot set a mirror to ` +
    `${host}: \`./campaign-mirror key rotate NUMBER --hosts HOSTS\` replaces a key.`
  );
}

export const keyNumbers = '`./campaign-mirror key list` shows all keys with their numbers';

/** `done` says what happened to the other keys. */
export function noSuchKey(ids: string | number, done = ''): ClearError {
  return new ClearError(`there is no key ${ids}: ${done}${keyNumbers}`);
}

export function noSuchMove(move: operators.AuditId): ClearError {
  return new ClearError(`there is no move ${move}: \`./campaign-mirror mirror moves\` shows all moves`);
}
