import { forgetOrmVariables } from '../process/orm-variables.ts';

// A signal to the whole process group is for the primary, which tells its workers what to do.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(name, () => {});

forgetOrmVariables(process.env);
const { runWorker } = await import('./worker.ts');
process.exit(await runWorker(process.env));
