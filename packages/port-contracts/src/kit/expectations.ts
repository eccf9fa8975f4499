/**
 * The comparisons of the cases. `node:assert` compares prototypes as well: a row of `node:sqlite`, or an entity of a mapper,
 * would differ from a plain object with the same fields.
 */

/** Thrown by a case if the adapter does not keep its promise. Test runners print the difference of the two values. */
export class ContractViolation extends Error {
  override name = 'ContractViolation';
  readonly actual: unknown;
  readonly expected: unknown;

  constructor(message: string, actual?: unknown, expected?: unknown) {
    super(message);
    this.actual = actual;
    this.expected = expected;
  }
}

/**
 * Compares two values of plain objects, arrays and primitives in depth. A property that is undefined differs from one
 * that is missing; prototypes do not matter. `what` names the value in the message.
 * @throws ContractViolation with both values, and where they first differ
 */
export function expectEqual(actual: unknown, expected: unknown, what = 'the value'): void {
  const path = difference(actual, expected, what);
  if (path === undefined) return;
  const values = `\n  expected: ${textOf(expected)}\n  but got:  ${textOf(actual)}`;
  throw new ContractViolation(`${path} is not as expected:${values}`, actual, expected);
}

/** Compares only the fields that `expected` has. @throws ContractViolation as `expectEqual` */
export function expectFields(actual: object | null | undefined, expected: object, what?: string): void {
  const fields = Object.entries(actual ?? {}).filter(([name]) => name in expected);
  expectEqual(actual && Object.fromEntries(fields), expected, what);
}

/** @throws ContractViolation with `fault` as its message, unless the condition holds */
export function expectThat(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new ContractViolation(fault);
}

/** Where two values first differ, such as `the value.mirror.clicks`; undefined if they are equal. */
function difference(actual: unknown, expected: unknown, path: string): string | undefined {
  if (Object.is(actual, expected)) return undefined;
  if (!isObject(actual) || !isObject(expected)) return path;
  if (Array.isArray(actual) !== Array.isArray(expected)) return path;
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    if (!(name in actual && name in expected)) return `${path}.${name}`;
    const inside = difference(actual[name], expected[name], `${path}.${name}`);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The value in JSON, with `undefined` as a string. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part) => (part === undefined ? 'undefined' : part));
}
