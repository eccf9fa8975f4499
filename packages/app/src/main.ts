import { endBy, stopSignals } from './process/stop-signals.ts';

// Loading the rest takes a moment, in which a signal would otherwise end the process with 143.
const signals = stopSignals(endBy);
// A failure to write to standard error must not end the process.
process.stderr.on('error', () => {});
if (process.argv.length > 2) {
  console.error('The service takes no arguments: its settings are variables, which .env.example lists.');
  process.exitCode = 2;
} else {
  const { runService } = await import('./service/service.ts');
  process.exit(await runService(process.env, {}, signals));
}
