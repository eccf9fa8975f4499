import type * as domain from '@campaign-mirror/domain';
import type { UndoneBy } from './words.ts';

/** What a command works on while it acts. */
export interface OperatorPorts {
  readonly records: domain.CampaignRecords;
  readonly history: domain.MirrorHistory;
  readonly pruning: domain.HistoryPruning;
  readonly moves: domain.MirrorMoves;
  readonly mirrors: domain.OperatorMirrors;
  readonly audit: domain.Audit;
  readonly imports: domain.CampaignImport;
  readonly exports: domain.CampaignExport;
  readonly campaigns: domain.CampaignRepository;
  readonly identity: domain.Identity;
}

/** Parts that take longer to set up: loaded only by the commands that need them. */
export interface AdministrationPorts extends Pick<OperatorPorts, 'records' | 'history'> {
  readonly settings: domain.CampaignSettings;
  readonly keys: domain.AccessKeys;
}

/**
 * Further terms of an act: the denied hosts, the identifier that its rows share, and the errors that rolled it back.
 */
export interface AddressTerms {
  readonly deniedHosts: domain.HostDenylist;
  readonly requestId: string;
  readonly undoneBy: UndoneBy;
}

/** AccessOptions a command uses the database. */
export interface AccessOptions {
  /** The statement timeout: none for `unhurried`, a minute for `in-steps`; otherwise the service's. */
  readonly pace?: 'unhurried' | 'in-steps';
  /** For commands that only read: the text on what remains when the database ends one. */
  readonly left?: string;
}

/**
 * Lets commands act as the operator. Each throws ClearError when the database is unavailable, not set up, or refuses.
 */
export interface OperatorAccess {
  /** Gives the ports that act on campaigns, for as long as `run` takes. */
  acting<T>(
    run: (ports: OperatorPorts, terms: AddressTerms) => Promise<T>,
    options?: AccessOptions,
  ): Promise<T>;
  /** Gives the ports that administer campaigns and keys, for as long as `run` takes. */
  administering<T>(
    run: (ports: AdministrationPorts, terms: AddressTerms) => Promise<T>,
    options?: AccessOptions,
  ): Promise<T>;
  /** The access key in the settings, if any. @throws ClearError when a setting is wrong */
  accessKey(): Promise<string | undefined>;
}

/** For commands that only read: says that nothing was changed. */
export const reading: AccessOptions = { left: 'there is more to show, and nothing was changed' };
