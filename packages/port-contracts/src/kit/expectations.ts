/** Thrown by a case of a contract that an adapter does not keep. Test runners show the difference of the two values. */
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
  const values = `\n  expected: ${shown(expected)}\n  but got:  ${shown(actual)}`;
  throw new ContractViolation(`${path} is not as expected:${values}`, actual, expected);
}

/** Compares those fields of the value that `expected` names. @throws ContractViolation as `expectEqual` */
export function expectFields(actual: object | null | undefined, expected: object, what?: string): void {
  const fields = Object.entries(actual ?? {}).filter(([name]) => name in expected);
  expectEqual(actual && Object.fromEntries(fields), expected, what);
}

/** @throws ContractViolation unless it holds; the message is the fault */
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
    const found = difference(actual[name], expected[name], `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** JSON, with `undefined`, which JSON does not have. */
function shown(value: unknown): string {
  return JSON.stringify(value, (_, one) => (one === undefined ? 'undefined' : one));
}
