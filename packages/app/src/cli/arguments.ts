import {
  type AccessKeyId,
  accessKeyId,
  type CampaignId,
  campaignId,
  type Label,
  label,
  longestLabel,
  type OwnerId,
  ownerId,
} from '@campaign-mirror/domain';
import { InvalidArgumentError } from '@commander-js/extra-typings';

/** What the commands accept. Each throws `InvalidArgumentError`, which says what is accepted. */
export const campaignArgument = (text: string): CampaignId => campaignId(text) ?? notAnIdentifier();
export const ownerArgument = (text: string): OwnerId => ownerId(text) ?? notAnIdentifier();
export const keyArgument = (text: string): AccessKeyId => accessKeyId(text) ?? notAnIdentifier();

function notAnIdentifier(): never {
  throw new InvalidArgumentError('A whole number from 1 to 9007199254740991 is expected.');
}

const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
/** A hundred years, in seconds. */
const longest = 36_525 * seconds.d;

/** A life in seconds; undefined for `never`. */
export function lifeArgument(text: string): number | undefined {
  if (text === 'never') return undefined;
  const [, count, unit] = /^([1-9][0-9]{0,9})([smhd])$/.exec(text) ?? [];
  const life = Number(count) * seconds[unit as keyof typeof seconds];
  if (!(life <= longest)) {
    throw new InvalidArgumentError(
      'A time such as 1s, 30m, 12h or 90d, at most 36525d, or never is expected.',
    );
  }
  return life;
}

/** A name for people: not empty, on one line, at most 200 characters. */
export function nameArgument(text: string): Label {
  const name = label(text);
  if (name === undefined) {
    throw new InvalidArgumentError(`A name on one line, of 1 to ${longestLabel} characters, is expected.`);
  }
  return name;
}
