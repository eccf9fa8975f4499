/** Every version of the schema, in order. A released one never changes. */
export const migrationNames = [
  '0001-initial',
  '0002-administration',
  '0003-room-for-updates',
  '0004-subjects',
] as const;
