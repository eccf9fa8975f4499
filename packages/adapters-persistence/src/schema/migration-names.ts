/** Every version of the schema, in order. A released one never changes. */
export const migrationNames = ['0001-schema', '0002-recent-moves'] as const;

/** What made the same schema, in four steps, before the first release. */
export const earlierNames: readonly string[] = [
  '0001-initial',
  '0002-administration',
  '0003-room-for-updates',
  '0004-subjects',
];
