import { deepStrictEqual } from 'node:assert';

/** A promise of a port that every adapter keeps, and its check. */
export interface Case<World> {
  readonly name: string;
  /** The optional parts of the world that the case needs. In a world without them it is not applicable. */
  readonly needs: readonly (keyof World & string)[];
  /**
   * Checks the promise, in a world that has what the case needs. Cases can run in any order in the same world, one at a
   * time. @throws ContractViolation when the adapter does not keep the promise
   */
  readonly run: (world: World) => Promise<void>;
}

/** The first part that the case needs and the world does not have; undefined if the case is applicable. */
export function missing<World>({ needs }: Case<World>, world: World): string | undefined {
  return needs.find((part) => world[part] === undefined);
}

/** A world with the parts that a case needs. */
export type With<World, Needed extends keyof World> = World & Required<Pick<World, Needed>>;

/** Makes cases of their names and checks. All of them need the same parts of the world. */
export function casesOf<World, Needed extends keyof World & string = never>(
  needs: readonly Needed[],
  runs: Readonly<Record<string, (world: With<World, Needed>) => Promise<void>>>,
): readonly Case<World>[] {
  return Object.entries(runs).map(([name, run]) => ({
    name,
    needs,
    run: (world) => run(world as With<World, Needed>),
  }));
}

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
export function expectThat(holds: unknown, fault: string): asserts holds {
  if (!holds) throw new ContractViolation(fault);
}
