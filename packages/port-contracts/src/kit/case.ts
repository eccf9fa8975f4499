import { deepStrictEqual } from 'node:assert';
import { setTimeout as pause } from 'node:timers/promises';

/** A promise of a port that every adapter keeps, and its check. */
export interface Case<World> {
  readonly name: string;
  /** The optional parts of the world that the case needs. Without them it is not applicable. */
  readonly needs: readonly (keyof World & string)[];
  /** Checks the promise, one case at a time, in any order. @throws ContractViolation if the adapter breaks it */
  readonly run: (world: World) => Promise<void>;
}

/** The first part that the world lacks; undefined: the case is applicable. */
export function missing<World>({ needs }: Case<World>, world: World): string | undefined {
  return needs.find((part) => world[part] === undefined);
}

/** Cases, by their names, that need the same parts of the world. */
export function casesOf<World, Needed extends keyof World & string = never>(
  needs: readonly Needed[],
  checks: Readonly<Record<string, (world: World & Required<Pick<World, Needed>>) => Promise<void>>>,
): readonly Case<World>[] {
  return Object.entries(checks).map(([name, run]) => ({ name, needs, run: run as Case<World>['run'] }));
}

/** Thrown by a case if the adapter breaks a promise. */
export class ContractViolation extends Error {
  override name = 'ContractViolation';
}

/** @throws ContractViolation with `fault` as its message, unless the condition holds */
export function expectThat(holds: unknown, fault: string): asserts holds {
  if (!holds) throw new ContractViolation(fault);
}

/** Compares the fields of `expected` in depth. `what` names the value. @throws ContractViolation with the difference */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  try {
    deepStrictEqual(compared(actual, expected), compared(expected, expected));
  } catch (error) {
    throw new ContractViolation(`${what} is not as expected. ${(error as Error).message}`);
  }
}

/** A plain object with the fields to compare: an entity of a mapper has more fields, and another prototype. */
function compared(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(actual)) return actual.map((one, nth) => compared(one, Object(expected)[nth]));
  if (!actual || typeof actual !== 'object' || actual instanceof Set) return actual ?? undefined;
  const names = Object.keys(expected ?? {});
  const field = (name: string) => compared(Object(actual)[name], Object(expected)[name]);
  return Object.fromEntries(names.map((name) => [name, field(name)]));
}

/** Waits until a lifetime of one second has ended, even by a clock of whole seconds. */
export const expiry = (): Promise<void> => pause(1_500);
