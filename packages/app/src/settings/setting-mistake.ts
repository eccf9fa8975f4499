import type { SettingName } from './settings.ts';

/** What is wrong, in one line that shows no secret, and the settings concerned. */
export interface Mistake {
  readonly about: readonly SettingName[];
  readonly line: string;
}
