import { Migration } from '@mikro-orm/migrations';

/**
 * What the page for operators tells of the audit, which the service may not read: the last ten moves of mirrors, the
 * newest first. A move is several entries, one for each transaction; the first is its number.
 */
const recentMoves = `
  create view campaign_mirror.recent_moves as
    select min(id) as id, min(acted_at) as moved_at, min(details->>'from') as from_host,
      min(details->>'to') as to_host, min((details->>'undoes')::bigint) as undoes,
      sum((details->>'mirrors')::bigint)::bigint as mirrors
    from campaign_mirror.operator_audit where act = 'mirrors-moved'
    group by request_id order by 1 desc limit 10;`;

export class RecentMovesMigration extends Migration {
  override up(): void {
    this.addSql(recentMoves);
  }
}
