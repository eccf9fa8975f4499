// The service's own, no promise: a call of the command line, its inputs, outputs, exit codes and errors. Loads no library.
export { Call, type CommandInput } from './terminal/call.ts';
export {
  ClearError,
  escaped,
  exitCodes,
  Interrupted,
  jsonOf,
  printable,
  printableLines,
} from './terminal/errors.ts';
