import { StopSignals } from './stop-signals.ts';

// Before anything else is loaded, which takes a moment: a signal in it would end the process with 143.
const stop = new StopSignals();
const { runService } = await import('./service.ts');
process.exit(await runService(process.env, stop));
