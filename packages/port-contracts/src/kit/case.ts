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
