import type * as domain from '@campaign-mirror/domain';
import type * as operators from '@campaign-mirror/domain/operator';

export interface OperatorPorts {
  readonly records: operators.CampaignRecords;
  readonly history: operators.MirrorHistory;
  readonly feed: operators.ChangeFeed;
  readonly pruning: operators.HistoryPruning;
  readonly mirrors: operators.OperatorMirrors;
  readonly audit: operators.Audit;
  readonly imports: operators.CampaignImport;
  readonly exports: operators.CampaignExport;
  readonly campaigns: domain.CampaignRepository;
  readonly identity: domain.Identity;
  readonly settings: operators.CampaignSettings;
  readonly keys: operators.AccessKeys;
}

export interface ActContext {
  readonly deniedHosts: domain.HostList;
  /** The request id of all rows of the act in the history and the audit. */
  readonly requestId: string;
}

export interface AccessOptions {
  /** The statement timeout: none for `unhurried`, a minute for `in-steps`; by default, that of the service. */
  readonly pace?: 'unhurried' | 'in-steps';
  /** Says what was done so far; printed if the database ends a statement. Without it, that is unknown. */
  readonly state?: string | (() => string);
  /** For a command that does not end: it uses the embedded database only while a service runs. */
  readonly besideService?: true;
}

export const reading: AccessOptions = { state: 'there is more to show, and nothing was changed' };

export interface OperatorAccess {
  /** The ports are valid until `run` resolves. @throws ClearError if the database is unavailable or refuses access */
  withPorts<T>(
    run: (ports: OperatorPorts, context: ActContext) => Promise<T>,
    options?: AccessOptions,
  ): Promise<T>;

  /** The access key of the caller, if it is configured. @throws ClearError if a setting is invalid */
  accessKey(): Promise<string | undefined>;

  /** The name of the setting for the access key, for help texts and messages. */
  readonly accessKeySetting: string;
}
