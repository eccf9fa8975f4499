import { spawn } from 'node:child_process';

/** PROGRAM as PROCESSES processes on one port. This one serves nothing, and ends when all of them have ended. */
const { PROGRAM = '', PROCESSES, ...environment } = process.env;
const env = { ...environment, REUSE_PORT: 'on', OPS_PORT: '0' };
const all = Array.from({ length: Number(PROCESSES) }, () =>
  spawn(process.execPath, [...process.execArgv, PROGRAM], { env, stdio: 'inherit' }),
);
process.once('SIGTERM', () => {
  for (const one of all) one.kill('SIGTERM');
});
