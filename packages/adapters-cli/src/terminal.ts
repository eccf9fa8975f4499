// A call of the command line: its inputs, outputs, exit codes and errors. Loads no library.
export { Call, type Given } from './terminal/call.ts';
export { ClearError, type FaultKind } from './terminal/clear-error.ts';
export { counted } from './terminal/counted.ts';
export { escaped, printable, printableLines } from './terminal/escapes.ts';
export { exitCodeOf, exitCodes } from './terminal/exit-codes.ts';
export { Interrupted, type Interruption, interrupting, orStopped } from './terminal/interruption.ts';
export { type Replacing, refuseTaken, writeNewFile } from './terminal/new-file.ts';
export type { Listing, Output, OutputStream } from './terminal/output.ts';
