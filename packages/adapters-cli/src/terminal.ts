// A call of the command line. Internal: these names may change with any version. Loads no library.
export { Call, type CommandIO } from './terminal/call.ts';
export {
  ClearError,
  escaped,
  exitCodes,
  Interrupted,
  jsonOf,
  printable,
  printableLines,
} from './terminal/errors.ts';
