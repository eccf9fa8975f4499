/** What decides whether a measurement is right, for those who test it. */
export { historyFaults } from './databases/check-history.ts';
export { addressBefore } from './databases/seed.ts';
export { mannWhitney } from './figures/mann-whitney.ts';
export { ratioOf } from './figures/statistics.ts';
export { verdictOf } from './figures/verdict.ts';
export { answerFaults } from './load/check-answers.ts';
export type { Contender } from './stage/contenders.ts';
export { type Measured, mustHaveAnswered } from './stage/measure.ts';
export { inTurn } from './stage/rounds.ts';
