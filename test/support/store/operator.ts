import type { OperatorAct } from '@campaign-mirror/domain';

export { named } from '../../../packages/domain/src/operator-contracts/live-store.ts';

/** Whoever acts in the tests. */
export const tester: OperatorAct = { operator: 'tests', requestId: 'operator-tests' };
