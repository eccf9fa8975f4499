/** Changes of SQL that change nothing that can be noticed: by file, the line as it would be, and why. */
export const equivalent: Readonly<Record<string, Readonly<Record<string, string>>>> = {};
