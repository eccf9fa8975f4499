import { hash } from 'node:crypto';

/** What the peers have in common: the contract, without our code. They keep no history and no log, and lock nothing. */
export const path = '/public/v1/mirror/campaign/:campaign/mirror';

export interface Caller {
  readonly ownerId: string;
}

export interface Campaign {
  readonly ownerId: string;
  readonly isDefault: boolean;
  readonly hasMirror: boolean;
}

export interface Answer {
  readonly status: number;
  readonly body: object;
}

export const unauthenticated: Answer = { status: 401, body: { message: 'Unauthenticated.' } };
export const unauthorized: Answer = { status: 403, body: { message: 'This action is unauthorized.' } };

const invalid = (message: string): Answer => ({
  status: 422,
  body: { message, errors: { mirror_endpoint: [message] } },
});

export function missing(campaign: string): Answer {
  return { status: 404, body: { message: `No query results for model [Campaign] ${campaign}` } };
}

/** The SHA-256 of a bearer's key; undefined where there is none. */
export function keyHash(authorization: string | undefined): Buffer | undefined {
  const key = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
  return key === undefined ? undefined : hash('sha256', key, 'buffer');
}

/** The three rules. */
export function mayChange({ ownerId }: Caller, campaign: Campaign): boolean {
  return campaign.hasMirror && !campaign.isDefault && campaign.ownerId === ownerId;
}

/** The address in a request's body, or the answer to one that has none. */
export function addressIn(body: unknown): string | Answer {
  const address = (body as { mirror_endpoint?: unknown } | null | undefined)?.mirror_endpoint;
  if (address === undefined || address === null || address === '')
    return invalid('The mirror endpoint field is required.');
  if (typeof address !== 'string') return invalid('The mirror endpoint field must be a string.');
  if (!URL.canParse(address)) return invalid('The mirror endpoint field must be a valid URL.');
  return address;
}
