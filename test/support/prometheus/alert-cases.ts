import type { AlertCases } from './alert-case.ts';
import { burnCases } from './alert-cases-burns.ts';
import { databaseCases } from './alert-cases-database.ts';
import { loadCases } from './alert-cases-load.ts';
import { refusalCases } from './alert-cases-refusals.ts';
import { servingCases } from './alert-cases-serving.ts';
import { tokenCases } from './alert-cases-tokens.ts';

export const alertCases: AlertCases = {
  ...burnCases,
  ...servingCases,
  ...loadCases,
  ...databaseCases,
  ...tokenCases,
  ...refusalCases,
};
