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
import { rowsOf } from '../connection/rows.ts';
import { timestampText } from '../schema/schema.ts';

const survey = `
  with moment as materialized (select clock_timestamp() - make_interval(secs => $1) as older_than)
  select ${timestampText('older_than')} as "olderThan", changes, old
  from moment, lateral (
    select count(*) as changes, count(*) filter (where changed_at < moment.older_than) as old
    from campaign_mirror.mirror_history
  ) as counted`;

/** The function deletes with its owner's rights, and records that in the audit. */
const prune = `
  select last_campaign_id as campaign, last_id as id, looked_at as "lookedAt", pruned
  from campaign_mirror.prune_history($1, $2, $3, $4, $5, $6)`;

interface Pruned extends Pick<PruneStep, 'lookedAt' | 'pruned'> {
  campaign: CampaignId;
  id: HistoryId;
}

/** Pruning of the history in PostgreSQL: each step is a transaction of its own. */
export class PostgresHistoryPruning implements HistoryPruning {
  readonly #pool: Pool;
  readonly #act: OperatorAct;

  constructor(pool: Pool, act: OperatorAct) {
    this.#pool = pool;
    this.#act = act;
  }

  async survey(age: number): Promise<HistorySurvey> {
    const [found] = await rowsOf<HistorySurvey>(this.#pool, survey, [age]);
    return found as HistorySurvey;
  }

  async prune(olderThan: Timestamp, size: number, after?: HistoryPosition): Promise<PruneStep> {
    const { operator, requestId } = this.#act;
    const values = [olderThan, after?.campaign ?? 0, after?.id ?? 0, size, operator, requestId];
    const [{ campaign, id, lookedAt, pruned }] = (await rowsOf<Pruned>(this.#pool, prune, values)) as [
      Pruned,
    ];
    return { lookedAt, pruned, next: lookedAt < size ? undefined : { campaign, id } };
  }
}
