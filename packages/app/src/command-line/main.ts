import { Interrupted } from '@campaign-mirror/adapters-cli/terminal';
import { endBy, stopSignals } from '../process/stop-signals.ts';
import { run } from './program.ts';

// A failed write is reported by the call; one that fails after its end must not end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
let stopped: Parameters<typeof endBy>[0] | undefined;
process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  get signal() {
    const stop = new AbortController();
    void stopSignals().asked.then((name) => {
      stopped = name;
      stop.abort(new Interrupted(name));
    });
    return stop.signal;
  },
});
// `process.exit` would wait, as the end of the program does, until somebody writes to a pipe that is being opened.
if (stopped) setTimeout(endBy, 500, stopped).unref();
