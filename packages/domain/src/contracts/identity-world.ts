import type { Caller } from '../set-campaign-mirror/caller.ts';
import type { Identity } from '../set-campaign-mirror/identity.ts';
import type { OwnerId } from '../values/identifiers.ts';

/** What the author of an `Identity` provides for its cases. Its parts are plain functions. */
export interface IdentityWorld {
  readonly identity: Identity;
  /**
   * A new credential of this owner that is valid for at least a minute, and whom it identifies. With `never`, one
   * that does not expire, if there are such credentials.
   */
  readonly issue: (owner: OwnerId, expires?: 'never') => Promise<IssuedCredential>;
  /** A well-formed credential that was never issued. */
  readonly unknown: () => string | Promise<string>;
  /** A credential that was expired when it was issued. */
  readonly issueExpired?: (owner: OwnerId) => Promise<string>;
  readonly expire?: (credential: string) => Promise<unknown>;
  readonly revoke?: (credential: string) => Promise<unknown>;
  /** Deletes the record of the credential. */
  readonly forget?: (credential: string) => Promise<unknown>;
  /** `claimedBy` knows the callers that `whoIs` found; without it, it may always be undefined. */
  readonly claims?: true;
}

/** A credential that is valid, and whose it is. */
export interface IssuedCredential {
  readonly credential: string;
  readonly caller: Caller;
}
