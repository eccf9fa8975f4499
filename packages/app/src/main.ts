import { endBy, stopSignals } from './process/stop-signals.ts';

// The handlers come first: a signal while the other modules load would end the process with 143.
const signals = stopSignals(endBy);
// A failure to write to standard error must not end the process.
process.stderr.on('error', () => {});
if (process.argv.length > 2) {
  console.error('The service takes no arguments: its settings are variables, which .env.example lists.');
  process.exitCode = 2;
} else {
  const { runService } = await import('./wiring/run-service.ts');
  process.exit(await runService(process.env, {}, signals));
}
