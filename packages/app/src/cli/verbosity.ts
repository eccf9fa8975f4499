/** Set by `--verbose`: what goes on is told on standard error. */
export const verbosity = { verbose: false };
