import { Command, InvalidArgumentError } from '@commander-js/extra-typings';

/** The command line of `npm run NAME`. Ends the process with 2, and says how it is used, where that is not understood. */
export function commandLine(name: string, does: string) {
  return new Command(`npm run ${name} --`)
    .description(does)
    .showHelpAfterError()
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}

/** Reads an option's value. @throws InvalidArgumentError that says what is accepted */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    if (/^[1-9][0-9]{0,8}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`It takes whole numbers from ${least} to ${most}.`);
  };
}

/** Settings of our service that are not the defaults. */
export type Settings = Readonly<Record<string, string>>;

/** Reads an option that may be given again. @throws InvalidArgumentError that says what is accepted */
export function setting(text: string, before: Settings = {}): Settings {
  const [, name, value] = /^([A-Z_]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It takes NAME=VALUE.');
  return { ...before, [name]: value };
}
