import type * as domain from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';

/** The ports of the operator's commands. */
export interface OperatorPorts {
  readonly records: operator.CampaignRecords;
  readonly history: operator.MirrorHistory;
  /** Ends when the command should stop. */
  readonly feed: operator.ChangeFeed;
  readonly pruning: operator.HistoryPruning;
  readonly mirrors: operator.OperatorMirrors;
  readonly audit: operator.Audit;
  readonly imports: operator.CampaignImport;
  readonly exports: operator.CampaignExport;
  readonly campaigns: domain.CampaignRepository;
  readonly identity: domain.Identity;
  readonly settings: operator.CampaignSettings;
  readonly keys: operator.AccessKeys;
}

/** What an act needs besides its ports. */
export interface ActContext {
  readonly deniedHosts: domain.HostList;
  /** The identifier that the rows of the act share in the history and the audit. */
  readonly requestId: string;
}

/** How a command uses the store. */
export interface AccessOptions {
  /** The statement timeout: none for `unhurried`, a minute for `in-steps`; otherwise that of the service. */
  readonly pace?: 'unhurried' | 'in-steps';
  /** For a command that only reads, or acts in steps: how far it is, which is printed if the database ends a statement. */
  readonly state?: string | (() => string);
  /** For a command that does not end: with the embedded database, only beside a service, which it would keep out. */
  readonly besideService?: true;
}

/** The options of a command that lists. */
export const reading: AccessOptions = { state: 'there is more to show, and nothing was changed' };

/** Gives the commands access to the store as the operator. */
export interface OperatorAccess {
  /**
   * `run` gets the ports, which it can use until it resolves.
   * @throws ClearError when the database is unavailable, is not set up, or refuses the operator
   */
  acting<T>(
    run: (ports: OperatorPorts, context: ActContext) => Promise<T>,
    options?: AccessOptions,
  ): Promise<T>;

  /** The access key of the caller, if it is configured. @throws ClearError when a setting is invalid */
  accessKey(): Promise<string | undefined>;

  /** The name of the setting for the access key, for help texts and messages. */
  readonly accessKeySetting: string;
}
