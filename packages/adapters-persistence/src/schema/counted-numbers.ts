/** Imported numbers count up to here: 2^53-1 would leave no number for the next. */
export const countedUpTo = Number.MAX_SAFE_INTEGER - 1_000_000;
