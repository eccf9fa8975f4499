export const schema = 'campaign_mirror';

/** The form of every time that leaves the database, whatever time zone and date style its session has. */
export function timestampText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
