import * as domain from '@campaign-mirror/domain';
import {
  type AccessKeyRecord,
  type AuditId,
  type CampaignRecords,
  type ChangedMirror,
  type Host,
  type HostMove,
  type KeyRotation,
  type LeftOut,
  movedEntries,
  type NotSet,
  type OwnerHasDefault,
} from '@campaign-mirror/domain/operator';
import { ClearError, counted, printable } from '../terminal/errors.ts';

type CampaignRefusal =
  | Exclude<domain.Outcome, { kind: 'mirror-set' }>
  | OwnerHasDefault
  | { readonly kind: 'mirror-exists' };
type Reason =
  | domain.Refusal
  | Exclude<CampaignRefusal['kind'], 'refused' | 'invalid-address' | 'owner-has-default'>;

/**
 * Why an act on a campaign is refused by the store or the domain, and what to do instead. `address` begins the message
 * about an invalid address.
 */
export function campaignRefused(
  campaign: domain.CampaignId,
  refusal: CampaignRefusal | NotSet,
  address = 'the target URL is refused',
): ClearError {
  if (typeof refusal === 'object' && refusal.kind === 'owner-has-default')
    return new ClearError(
      `the owner ${refusal.ownerId} has a default campaign already: ${campaignNamed(refusal.id, refusal.name)}; ` +
        unsetting(refusal.id),
    );
  let reason = typeof refusal === 'string' ? refusal : refusal.kind;
  if (reason === 'refused' || reason === 'invalid-address') reason = Object(refusal).because as NotSet;
  if (reason in addressFaults)
    return new ClearError(`${address}: ${addressFaults[reason as domain.AddressFault]}`);
  return new ClearError(texts[reason in texts ? (reason as Reason) : 'condition-failed'](campaign));
}

const texts: Readonly<Record<Reason, (id: domain.CampaignId) => string>> = {
  unauthenticated: () =>
    'the access key is malformed, unknown, expired or revoked: `./campaign-mirror key issue` issues another',
  'campaign-not-found': (id) =>
    `there is no campaign ${id}: \`./campaign-mirror campaign list\` shows those that exist`,
  'mirror-exists': (id) =>
    `the campaign ${id} has a mirror already: ` +
    `\`./campaign-mirror mirror set ${id} URL --as-operator\` gives it another address`,
  'mirror-not-created': (id) =>
    `the campaign ${id} has no mirror: \`./campaign-mirror mirror create ${id} --target-url URL\` creates it`,
  'default-campaign': (id) =>
    `the campaign ${id} is its owner's default campaign, whose mirror cannot be set: ${unsetting(id)}`,
  'not-the-owner': (id) =>
    `the campaign ${id} belongs to another owner than the key: use a key of the campaign's owner`,
  'condition-failed': (id) =>
    `the mirror of the campaign ${id} was changed meanwhile, so nothing was done: look at \`./campaign-mirror mirror history ${id}\`, then repeat it`,
  'no-address': (id) => `the history of the campaign ${id} has no such change: ${changeNumbers(id)}`,
};

export function changeNumbers(campaign: domain.CampaignId): string {
  return `\`./campaign-mirror mirror history ${campaign}\` shows the numbers of the changes`;
}

function unsetting(campaign: domain.CampaignId): string {
  return `\`./campaign-mirror campaign unset-default ${campaign}\` makes it an ordinary one`;
}

/** Such as `campaign 42 "Summer"`. */
export function campaignNamed(id: domain.CampaignId, name: string | null): string {
  return name === null ? `campaign ${id}` : `campaign ${id} "${printable(name)}"`;
}

const inContract = Object.entries(domain.addressFaults).map(([fault, text]) => [fault, `it ${text}`]);

/** In the words of the interface, which does not say which list it is. */
export const addressFaults: Readonly<Record<domain.AddressFault, string>> = {
  ...Object.fromEntries(inContract),
  'denied-host': `it ${domain.addressFaults['denied-host']}, which the host denylist contains`,
  'host-not-of-key': `it ${domain.addressFaults['host-not-of-key']}, which is not, as it is written, among those of the key`,
};

/** Why a mirror was not set by a command for many. */
export function notSetReason(because: NotSet, { campaign, before, after, by }: ChangedMirror): string {
  const fault = addressFaults[because as domain.AddressFault];
  if (fault) return `the new address is ${after === '' ? 'empty' : 'refused'}: ${fault}`;
  if (because === 'changed-since') return `it was changed since by ${by ?? 'somebody'}`;
  return reasons[because as keyof typeof reasons](campaign, before);
}

type NotSetId = (id: domain.CampaignId, before: string | null) => string;

const reasons = {
  'campaign-not-found': () => 'there is no such campaign',
  'mirror-not-created': (id) =>
    `it has no mirror: \`./campaign-mirror mirror create ${id} --target-url URL\` creates it`,
  'default-campaign': (id) => `it is its owner's default campaign: ${unsetting(id)}`,
  'not-the-owner': () => 'it belongs to another owner',
  'not-as-expected': (_, before) => `its address is ${printable(before ?? '')}`,
  'changed-meanwhile': () => 'the campaign or its mirror was changed meanwhile',
  locked: () => 'another transaction holds its mirror',
} satisfies Record<Exclude<NotSet, domain.AddressFault | 'changed-since'>, NotSetId>;

/** Such as `old.example`, or `one of the 10 hosts`. */
export const hostsNamed = (hosts: readonly Host[]) =>
  hosts.length > 3 ? `one of the ${hosts.length} hosts` : hosts.map(({ written }) => written).join(' or ');

/** The mirrors that a command about hosts leaves out, with the option that takes them; empty if there are none. */
export function leftOut({ below, elsewhere }: LeftOut, hosts: readonly Host[], takes: string): string {
  const named = hostsNamed(hosts);
  const on = `${counted(below, 'mirror is', 'mirrors are')} on a name below ${named}: --subdomains ${takes} ${below === 1 ? 'it' : 'them'}, too.`;
  const other = `${counted(elsewhere, 'mirror has', 'mirrors have')} ${named} in another part of the address, which a move leaves as it is.`;
  return [below > 0 && on, elsewhere > 0 && other].filter(Boolean).join(' ');
}

/** The keys that keep their owners from the new host, and how to replace the first one; empty if there are none. */
export function limitedKeys(keys: readonly AccessKeyRecord[], move: HostMove): string {
  const [first] = keys;
  if (!first) return '';
  const numbers = `${keys
    .slice(0, 10)
    .map(({ id }) => id)
    .join(', ')}${keys.length > 10 ? ', …' : ''}`;
  const entries = movedEntries(move, first.hosts ?? []);
  const successor =
    `\`./campaign-mirror key rotate ${first.id} --hosts '${entries.join(',')}'\` ` +
    `gives key ${first.id} a successor.`;
  return (
    `${counted(keys.length, 'key is', 'keys are')} limited to hosts that were left (${numbers}), and cannot ` +
    `set a mirror to ${move.to.written}: ` +
    (entries.includes(move.to.name)
      ? successor
      : 'no key can be limited to that host; issue one without --hosts.')
  );
}

/** A warning if an owner who gets something has no campaign, since the number may be mistyped. */
export async function ownerWarning(records: CampaignRecords, owner: domain.OwnerId) {
  const [campaign] = await records.list({ owner, limit: 1 });
  return campaign ? undefined : `The owner ${owner} had no campaign so far: check the number.`;
}

/** What a list was asked for, such as ` of the owner 42`, by the words before each value. */
export function asked(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.map(([words, value]) => ` ${words} ${value}`).join('');
}

export const keyNumbers = '`./campaign-mirror key list` shows all keys with their numbers';

/** `done`: what was done all the same. */
export function noSuchKey(ids: string | number, done = ''): ClearError {
  return new ClearError(`there is no key ${ids}: ${done}${keyNumbers}`);
}

export function noSuchMove(move: AuditId): ClearError {
  const list = '`./campaign-mirror mirror moves`';
  return new ClearError(`there is no move ${move}: ${list} shows the numbers of moves`);
}

/** Why a key was not rotated, and what to do instead. */
export function notRotated(
  id: domain.AccessKeyId,
  rotation: Exclude<KeyRotation, { kind: 'rotated' }>,
): ClearError {
  const issue = 'issue another with `./campaign-mirror key issue`';
  if (rotation.kind === 'key-not-found') return noSuchKey(id);
  if (rotation.kind === 'key-replaced')
    return new ClearError(
      `key ${id} was replaced by key ${rotation.by} already: rotate that one, or ${issue}`,
    );
  const state = rotation.kind === 'key-revoked' ? 'revoked' : 'expired';
  return new ClearError(`key ${id} is ${state}: ${issue}`);
}

/** A number of CSV without the `.0` that programs write in a column with gaps. */
export const whole = (text: string) => text.replace(/\.0$/, '');
/** What is refused of CSV, but for the end of a long text, and what may be an address with a password. */
export const itIs = (text = '') => `it is ${JSON.stringify(text.replace(/.*@.*|(?<=^.{50}).+/su, '…'))}, and`;
export const notANumber = (least: number) =>
  `must be a whole number from ${least} to 9007199254740991, in digits alone`;
