import { forgetOrmVariables } from '../process/orm-variables.ts';
import { signalOfProcess } from './process-signals.ts';
import { run } from './run.ts';

forgetOrmVariables(process.env);
// The call reports failed writes, also those that become known after its end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  get signal() {
    return signalOfProcess();
  },
});
