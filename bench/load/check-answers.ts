import type { Answers } from './generator-process.ts';

/** As many answers of each status as there were requests that it is right for, but for those that the end cut off. */
export function answerFaults(
  answers: Answers,
  connections: number,
  otherwise: Readonly<Record<string, string>> = {},
): string[] {
  const faults = Object.entries(answers.errors).map(([what, count]) => `${what}, ${count} times`);
  const right: Record<string, number> = {};
  for (const [status, count] of Object.entries(answers.made)) {
    const expected = otherwise[status] ?? status;
    right[expected] = (right[expected] ?? 0) + count;
  }
  for (const status of new Set([...Object.keys(right), ...Object.keys(answers.answered)])) {
    const [made = 0, got = 0] = [right[status], answers.answered[status]];
    // The generator looks at one request before it begins.
    if (got > made || got < made - connections - 1)
      faults.push(`${got} answers of ${status}, expected to ${made} requests`);
  }
  return faults;
}
