import { type Case, missing } from '@campaign-mirror/port-contracts';

/** The results of the cases, by their names. */
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
  for (const one of cases) {
    const { name } = one;
    if (missing(one, world)) {
      notApplicable.push(name);
      continue;
    }
    try {
      await one.run(world);
      passed.push(name);
    } catch (error) {
      failed.push({ name, error });
    }
  }
  return { passed, failed, notApplicable };
}
