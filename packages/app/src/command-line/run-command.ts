import { Interrupted } from '@campaign-mirror/adapters-cli/terminal';
import { endBy, stopSignals } from '../process/stop-signals.ts';
import { run } from './program.ts';

// The call reports a failed write. A write that fails after the call must not end the process.
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
    void stopSignals().received.then((name) => {
      stopped = name;
      stop.abort(new Interrupted(name));
    });
    return stop.signal;
  },
});
// A process that opens a pipe without a writer would not end, even by `process.exit`.
if (stopped) setTimeout(endBy, 500, stopped).unref();
