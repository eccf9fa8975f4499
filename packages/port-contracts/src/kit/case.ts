import { deepStrictEqual } from 'node:assert';
import { setTimeout as pause } from 'node:timers/promises';

/** A promise of a port that every adapter keeps, and its check. */
export interface Case<World> {
  readonly name: string;
  /** The optional parts of the world that the case needs. In a world without them it is not applicable. */
  readonly needs: readonly (keyof World & string)[];
  /**
   * Checks the promise. Cases can run in any order in the same world, one at a time.
   * @throws ContractViolation when the adapter does not keep the promise
   */
  readonly run: (world: World) => Promise<void>;
}

/** The first part that the case needs and the world does not have; undefined if the case is applicable. */
export function missing<World>({ needs }: Case<World>, world: World): string | undefined {
  return needs.find((part) => world[part] === undefined);
}

/** Makes cases of their names and checks. All of them need the same parts of the world. */
export function casesOf<World, Needed extends keyof World & string = never>(
  needs: readonly Needed[],
  checks: Readonly<Record<string, (world: World & Required<Pick<World, Needed>>) => Promise<void>>>,
): readonly Case<World>[] {
  return Object.entries(checks).map(([name, run]) => ({ name, needs, run: run as Case<World>['run'] }));
}

/** Thrown by a case if the adapter does not keep its promise. */
export class ContractViolation extends Error {
  override name = 'ContractViolation';
}

/** @throws ContractViolation with `fault` as its message, unless the condition holds */
export function expectThat(holds: unknown, fault: string): asserts holds {
  if (!holds) throw new ContractViolation(fault);
}

/**
 * Compares two values in depth, of objects only the fields that `expected` has. `what` names the value in the message.
 * @throws ContractViolation with the difference of both values
 */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  try {
    deepStrictEqual(compared(actual, expected), compared(expected, expected));
  } catch (error) {
    throw new ContractViolation(`${what} is not as expected. ${(error as Error).message}`);
  }
}

/** A plain object with the fields that are compared: an entity of a mapper has more, and another prototype. */
function compared(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(actual)) return actual.map((one, nth) => compared(one, Object(expected)[nth]));
  if (!actual || typeof actual !== 'object' || actual instanceof Set) return actual ?? undefined;
  return Object.fromEntries(
    Object.keys(expected ?? {}).map((name) => [
      name,
      compared(Reflect.get(actual, name), Reflect.get(Object(expected), name)),
    ]),
  );
}

/** Until what is valid for a second has expired by any clock, also one of whole seconds. */
export const expiry = (): Promise<void> => pause(1_500);
