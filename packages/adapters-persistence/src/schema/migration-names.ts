/** Every version of the schema, in order. A released one never changes. */
export const migrationNames = ['0001-mirrors-with-facts'] as const;
