import type {
  AccessKeys,
  Audit,
  CampaignExport,
  CampaignImport,
  CampaignRecords,
  CampaignRepository,
  CampaignSettings,
  HistoryPruning,
  HostDenylist,
  Identity,
  MirrorHistory,
  MirrorMoves,
  OperatorMirrors,
} from '@campaign-mirror/domain';
import type { UndoneBy } from '../words/cut-off.ts';

/** What the commands work on, for as long as one of them acts. */
export interface OperatorPorts {
  readonly records: CampaignRecords;
  readonly history: MirrorHistory;
  readonly pruning: HistoryPruning;
  readonly moves: MirrorMoves;
  readonly mirrors: OperatorMirrors;
  readonly audit: Audit;
  readonly imports: CampaignImport;
  readonly exports: CampaignExport;
  readonly campaigns: CampaignRepository;
  readonly identity: Identity;
}

/** What takes longer to get ready: asked for by the commands alone that need it. */
export interface AdministrationPorts extends Pick<OperatorPorts, 'records' | 'history'> {
  readonly settings: CampaignSettings;
  readonly keys: AccessKeys;
}

/** What else an act needs: what binds it besides the rules, what ties its rows together, what its faults have undone. */
export interface Terms {
  readonly deniedHosts: HostDenylist;
  readonly requestId: string;
  readonly undoneBy: UndoneBy;
}

export interface How {
  /** How long a statement may take: `unhurried` without a limit, `in-steps` a minute; else as in the service. */
  readonly pace?: 'unhurried' | 'in-steps';
  /** For what only reads: what is said to be left where the database ends it. */
  readonly left?: string;
}

/** Lets the commands act as the operator. Each throws ClearError where the database is away, not set up, or refuses. */
export interface Operator {
  acting<T>(run: (ports: OperatorPorts, terms: Terms) => Promise<T>, how?: How): Promise<T>;
  administering<T>(run: (ports: AdministrationPorts, terms: Terms) => Promise<T>, how?: How): Promise<T>;
  /** The access key of the settings, if there is one. @throws ClearError when a setting is wrong */
  accessKey(): Promise<string | undefined>;
}

/** Nobody need be unsure of what was done. */
export const reading: How = { left: 'there is more to show, and nothing was changed' };
