import { deepStrictEqual } from 'node:assert';

/** Thrown by a case if the adapter does not keep its promise. */
export class ContractViolation extends Error {
  override name = 'ContractViolation';
}

/**
 * Compares two values of plain objects, arrays and primitives in depth. A property that is undefined differs from one
 * that is missing. `what` names the value in the message.
 * @throws ContractViolation with the difference of both values
 */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  try {
    // A clone is a plain object: a row of `node:sqlite`, or an entity of a mapper, has another prototype.
    deepStrictEqual(structuredClone(actual), structuredClone(expected));
  } catch (error) {
    throw new ContractViolation(`${what} is not as expected. ${(error as Error).message}`);
  }
}

/** Compares only the fields that `expected` has. @throws ContractViolation as `expectEqual` */
export function expectFields(actual: object | null | undefined, expected: object, what: string): void {
  const fields = Object.entries(actual ?? {}).filter(([name]) => name in expected);
  expectEqual(actual && Object.fromEntries(fields), expected, what);
}

/** @throws ContractViolation with `fault` as its message, unless the condition holds */
export function expectThat(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new ContractViolation(fault);
}
