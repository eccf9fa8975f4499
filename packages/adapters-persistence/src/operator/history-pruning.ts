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
import type { Pool } from 'pg';
import { safeInteger } from '../connection/rows.ts';
import { timestampText } from '../schema/schema.ts';
import { type Statement, Statements } from '../statements/statements.ts';

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

/** The function deletes with its owner's rights, and records that in the audit. */
const prune: Statement = {
  name: 'prune-history',
  text: `select last_campaign_id, last_id, looked_at, pruned
    from campaign_mirror.prune_history($1, $2, $3, $4, $5, $6)`,
};

/** Pruning of the history in PostgreSQL: each step is a transaction of its own. */
export class PostgresHistoryPruning implements HistoryPruning {
  readonly #statements: Statements;
  readonly #act: OperatorAct;

  constructor(pool: Pool, act: OperatorAct) {
    this.#statements = new Statements(pool, { named: false });
    this.#act = act;
  }

  async survey(age: number): Promise<HistorySurvey> {
    type Row = readonly [olderThan: string, changes: string, old: string];
    const [[olderThan, changes, old]] = (await this.#statements.run<Row>(survey, [age])) as [Row];
    return { olderThan: olderThan as Timestamp, changes: safeInteger(changes), old: safeInteger(old) };
  }

  async prune(olderThan: Timestamp, size: number, after?: HistoryPosition): Promise<PruneStep> {
    type Row = readonly [lastCampaign: string, lastId: string, lookedAt: string, pruned: string];
    const { operator, requestId } = this.#act;
    const values = [olderThan, after?.campaign ?? 0, after?.id ?? 0, size, operator, requestId];
    const [[campaign, id, looked, pruned]] = (await this.#statements.run<Row>(prune, values)) as [Row];
    const lookedAt = safeInteger(looked);
    const next: HistoryPosition | undefined =
      lookedAt < size
        ? undefined
        : { campaign: safeInteger(campaign) as CampaignId, id: safeInteger(id) as HistoryId };
    return { lookedAt, pruned: safeInteger(pruned), next };
  }
}
