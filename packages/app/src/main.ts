import { endBy, stopSignal } from './process/stop-signals.ts';

// Before anything else is loaded, which takes a moment: otherwise a signal would end the process with 143.
const stop = stopSignal(endBy);
process.on('SIGUSR2', () => {});
if (process.argv.length > 2) {
  const { answerArguments } = await import('./service/service-arguments.ts');
  process.exitCode = answerArguments(process.argv.slice(2));
} else {
  const { runService } = await import('./service/service.ts');
  process.exit(await runService(process.env, { stop }));
}
