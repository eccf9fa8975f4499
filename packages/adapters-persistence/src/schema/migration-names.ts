/** Every version of the schema, in order. What was once released is never changed. */
export const migrationNames = ['0001-initial', '0002-administration', '0003-room-for-updates'] as const;
