/** Short names of other variables resemble ours, as HOME does: for those, one slip counts as a misspelling. */
const short = { upTo: 6, slips: 1 };
const slips = 2;
/** Up to this length, a name with another beginning is not a misspelling: `ES_PORT` is not OPS_PORT. */
const startsAlike = 8;

/** The variables one or two slips away from a known name, with that name. */
export function misspelt(
  variables: readonly string[],
  known: readonly string[],
): { name: string; meant: string }[] {
  const ours = new Set(known);
  return variables.flatMap((name) => {
    if (ours.has(name) || !/^[A-Z][A-Z0-9_]*$/.test(name)) return [];
    const close = known
      .map((meant) => ({ meant, slips: distance(name, meant) }))
      .filter((one) => isSlip(name, one.meant, one.slips))
      .sort((one, other) => one.slips - other.slips);
    return close[0] ? [{ name, meant: close[0].meant }] : [];
  });
}

function isSlip(name: string, meant: string, distance: number): boolean {
  if (meant.length <= startsAlike && name[0] !== meant[0]) return false;
  return distance <= (meant.length <= short.upTo ? short.slips : slips);
}

/** The number of letters to omit, insert, replace, or swap with the next one; any number above 2 for more than that. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > slips) return Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        cost(rows, i - 1, j) + 1,
        (row[j - 1] ?? 0) + 1,
        cost(rows, i - 1, j - 1) + (same ? 0 : 1),
        isSwap ? cost(rows, i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rows[i] = row;
  }
  return cost(rows, one.length, other.length);
}

const cost = (rows: readonly number[][], row: number, column: number) => rows[row]?.[column] ?? 0;
