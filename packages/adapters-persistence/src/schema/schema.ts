export const schema = 'campaign_mirror';

/** The format of every time that leaves the database, whatever the session's time zone and date style. */
export function timestampText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
