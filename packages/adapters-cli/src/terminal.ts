// A call of the command line: its inputs, outputs, exit codes and errors. Loads no library.
export { Call, type CommandInput } from './terminal/call.ts';
export {
  ClearError,
  counted,
  escaped,
  exitCodes,
  Interrupted,
  orStopped,
  printable,
  printableLines,
} from './terminal/errors.ts';
