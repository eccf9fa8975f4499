import { forgetOrmVariables } from '../process/orm-variables.ts';

// What is sent to a whole group of processes is for the primary, which tells us what to do.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(name, () => {});

forgetOrmVariables(process.env);
const { runWorker } = await import('./worker.ts');
process.exit(await runWorker(process.env));
