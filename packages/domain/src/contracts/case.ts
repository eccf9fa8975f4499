import { ContractViolation } from './expectations.ts';

/** A promise of a port that every adapter keeps, and how it is checked. */
export interface Case<World> {
  readonly name: string;
  /** The optional part of the world that the case needs: in a world without it, the case is not applicable. */
  readonly needs?: keyof World & string;
  /**
   * Needs no test runner. Cases can run in any order in the same world, one at a time.
   * @throws ContractViolation when the adapter does not keep the promise, or the world has no part that the case needs
   */
  readonly run: (world: World) => Promise<void>;
}

/** A way in which a correct adapter is broken on purpose, so that at least one case fails. */
export interface Breakage<World> {
  readonly name: string;
  /** The optional part of the world without which no case notices it. */
  readonly needs?: keyof World & string;
  readonly broken: (right: World) => World;
}

/** What became of the cases, by their names. */
export interface Judgement {
  readonly passed: readonly string[];
  readonly failed: readonly { readonly name: string; readonly error: unknown }[];
  readonly notApplicable: readonly string[];
}

/** Runs the cases in their order, without a test runner. */
export async function judge<World>(cases: readonly Case<World>[], world: World): Promise<Judgement> {
  const passed: string[] = [];
  const failed: { name: string; error: unknown }[] = [];
  const notApplicable: string[] = [];
  for (const { name, needs, run } of cases) {
    if (needs && world[needs] === undefined) {
      notApplicable.push(name);
      continue;
    }
    await run(world).then(
      () => passed.push(name),
      (error) => failed.push({ name, error }),
    );
  }
  return { passed, failed, notApplicable };
}

/** The optional part of the world that a case needs. @throws ContractViolation when the world does not have it */
export function part<World, Part extends keyof World & string>(
  world: World,
  needed: Part,
): NonNullable<World[Part]> {
  const found = world[needed];
  if (found !== undefined && found !== null) return found;
  throw new ContractViolation(`not applicable: this case needs '${needed}', which the world does not have`);
}
