import { once } from 'node:events';
import { isatty } from 'node:tty';
import { escaped } from '@campaign-mirror/adapters-cli/terminal';
import { pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { errorFields, type Log } from './log-events.ts';

/** Lines are written after so many bytes or milliseconds. Beyond `maxLength` bytes, a slow reader loses lines. */
const buffer = { minLength: 16_000, periodicFlush: 100, maxLength: 16_777_216 };

/** The log on standard output. `gone`: the reader closed it. `close` writes the last lines, or kills the process. */
export function openLog(level: string) {
  // `process.stdout` would block on a terminal, and make a pipe non-blocking, which pino would poll.
  const output = pino.destination({ dest: 1, sync: false, ...buffer });
  const print = (text: string) => void output.write(text);
  const log = logTo(isatty(1) ? (line) => print(readable(line)) : print, level);
  const { promise: gone, resolve } = Promise.withResolvers<Error>();
  let lost = 0;
  let reported = 0;
  let isRefused = false;
  output
    .on('drop', () => void lost++)
    .on('drain', () => {
      isRefused = false;
      const count = lost - reported;
      if (count === 0) return;
      reported = lost;
      log.warn({ event: 'log-lines-lost', count }, 'lines of the log were lost: nobody read them in time');
    })
    .on('error', (error: NodeJS.ErrnoException) => {
      // On a full disk, the next write retries these lines.
      if (!isRefused) console.error(`the log cannot be written (${error.message})`);
      isRefused = true;
      if (error.code === 'EPIPE') resolve(error);
      // At the exit, pino would retry the write for ever.
      output.flushSync = () => {};
    });
  const close = async () => {
    output.write = () => true;
    if (isRefused) return output.destroy();
    // A reader that hangs blocks the thread that writes, and `process.exit` would wait for that thread for ever.
    const late = setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1_000);
    const written = once(output, 'close').catch(() => {});
    output.end();
    await written;
    clearTimeout(late);
  };
  return { log, print, gone, lostLines: () => lost, close };
}

const pretty = prettyFactory({ translateTime: 'HH:MM:ss.l', ignore: 'pid' });

/** A line for a terminal. Escaped characters stay escaped, except for the line breaks of a stack. */
export function readable(line: string): string {
  return pretty(JSON.parse(line.replace(/\\\\|\\(?=[bfrtu]|n(?! +at ))/g, '\\\\')));
}

/** Writes lines in ASCII. */
export function logTo(write: (line: string) => unknown, level: string): Log {
  const timestamp = pino.stdTimeFunctions.isoTime;
  const options = { level, base: { pid: process.pid }, timestamp, serializers: { err: errorFields } };
  return pino(options, { write: (line) => void write(escaped(line)) });
}
