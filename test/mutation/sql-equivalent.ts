/** Changes of SQL that change nothing that can be noticed: by file, the line as it would be, and why. */
export const equivalent: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'set-mirrors.ts': {
    'and one.revoked_at is null and (one.expires_at is null or one.expires_at >= clock_timestamp())) end)`;':
      'the microsecond at which a key expires',
  },
};
