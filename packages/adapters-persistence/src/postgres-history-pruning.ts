import type {
  CampaignId,
  HistoryId,
  HistoryPosition,
  HistoryPruning,
  HistorySurvey,
  OperatorAct,
  PruneStep,
  Timestamp,
} from '@campaign-mirror/domain';
import { timestampText } from './entities.ts';
import { safeInteger } from './mirror-row.ts';
import type { Statement, Statements } from './statements.ts';

const survey: Statement = {
  name: 'survey-history',
  text: `
    with moment as materialized (select clock_timestamp() - make_interval(secs => $1) as older_than)
    select ${timestampText('older_than')} as older_than, changes, old
    from moment, lateral (
      select count(*) as changes, count(*) filter (where changed_at < moment.older_than) as old
      from campaign_mirror.mirror_history
    ) as counted`,
};

/** The function deletes with its owner's rights, and notes it in the audit. */
const prune: Statement = {
  name: 'prune-history',
  text: 'select * from campaign_mirror.prune_history($1, $2, $3, $4, $5, $6)',
};

/** Pruning of the history in PostgreSQL: each step is a transaction of its own. */
export class PostgresHistoryPruning implements HistoryPruning {
  readonly #statements: Statements;
  readonly #act: OperatorAct;

  constructor(statements: Statements, act: OperatorAct) {
    this.#statements = statements;
    this.#act = act;
  }

  async survey(age: number): Promise<HistorySurvey> {
    type Row = { older_than: string; changes: string; old: string };
    const [row] = (await this.#statements.run<Row>(survey, [age])) as [Row];
    return {
      olderThan: row.older_than as Timestamp,
      changes: safeInteger(row.changes),
      old: safeInteger(row.old),
    };
  }

  async prune(olderThan: Timestamp, size: number, after?: HistoryPosition): Promise<PruneStep> {
    type Row = { last_campaign_id: string; last_id: string; looked_at: string; pruned: string };
    const { operator, requestId } = this.#act;
    const values = [olderThan, after?.campaign ?? 0, after?.id ?? 0, size, operator, requestId];
    const [row] = (await this.#statements.run<Row>(prune, values)) as [Row];
    const lookedAt = safeInteger(row.looked_at);
    const next: HistoryPosition | undefined =
      lookedAt < size
        ? undefined
        : {
            campaign: safeInteger(row.last_campaign_id) as CampaignId,
            id: safeInteger(row.last_id) as HistoryId,
          };
    return { lookedAt, pruned: safeInteger(row.pruned), next };
  }
}
