import type {
  HistoryId,
  HistoryPruning,
  HistorySurvey,
  OperatorAct,
  PruneStep,
  Timestamp,
} from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { rowsOf } from '../connection/rows.ts';
import { namesOf } from '../schema/acting.ts';
import { timestampText } from '../schema/schema.ts';

/** Older changes have lower numbers: only those are read, and the first that is not old. */
const survey = `
  with moment as materialized (select clock_timestamp() - make_interval(secs => $1) as older_than)
  select ${timestampText('older_than')} as "olderThan", (
    select count(*) from campaign_mirror.mirror_history where changed_at < older_than and id < coalesce((
      select id from campaign_mirror.mirror_history where changed_at >= older_than order by id limit 1), 9007199254740992)
  ) as old
  from moment`;

/** The function deletes with its owner's rights, and records that in the audit. */
const prune = `
  select last_id as "lastId", pruned from campaign_mirror.prune_history($1, $2, $3, $4, $5)`;

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

  async prune(olderThan: Timestamp, size: number, after?: HistoryId): Promise<PruneStep> {
    const values = [olderThan, after ?? 0, size, ...namesOf(this.#act)];
    const [step] = await rowsOf<{ lastId: HistoryId; pruned: number }>(this.#pool, prune, values);
    const { lastId, pruned } = step as { lastId: HistoryId; pruned: number };
    return { pruned, next: pruned > 0 ? lastId : undefined };
  }
}
