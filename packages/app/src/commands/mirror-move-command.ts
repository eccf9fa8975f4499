import { acting } from '../operator/acting.ts';
import { hostArgument, ownerArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { leaf } from '../terminal/leaf.ts';

export function move(call: Call) {
  return leaf({
    name: 'move',
    does: 'give every mirror on one host another one: the night a domain is blocked',
    examples: [
      'mirror move --from-host old.example --to-host new.example --dry-run',
      'mirror move --from-host old.example --to-host new.example --subdomains --owner 42',
    ],
  })
    .requiredOption('--from-host <host>', 'the host that is left, however an address spells it', hostArgument)
    .requiredOption('--to-host <host>', 'the host that takes its place, written so', hostArgument)
    .option('--subdomains', 'every name below it, too: x.old.example becomes x.new.example')
    .option('--owner <n>', 'only mirrors of the campaigns of this owner', ownerArgument)
    .option('--include-default', 'mirrors of default campaigns, too, which are refused without it')
    .option('--dry-run', 'show each address before and after, and change nothing')
    .action(async ({ fromHost, toHost, subdomains = false, owner, json, ...chosen }) => {
      const { PostgresMirrorMoves } = await import('@campaign-mirror/adapters-persistence/sql');
      const { hostMove, MoveMirrors, Unavailable } = await import('@campaign-mirror/domain');
      const { inManySteps } = await import('../operator/operator.ts');
      const { moveRefused } = await import('./move-refusals.ts');
      const { MoveReport } = await import('./move-report.ts');
      const { includeDefault = false, dryRun = false } = chosen;
      await acting(
        call,
        async ({ database, act, settings }) => {
          const denied = settings.MIRROR_HOST_DENYLIST;
          const move = hostMove(fromHost, toHost, subdomains, denied);
          if ('fault' in move) throw moveRefused(move.fault, fromHost, toHost);
          const request = { move, includeDefault, dryRun, ...(owner && { owner }) };
          const report = new MoveReport(call, request, fromHost, json);
          try {
            const mirrors = new PostgresMirrorMoves(database.pool, act);
            for await (const event of new MoveMirrors(mirrors, denied).execute(request)) {
              await report.tell(event);
              if (event.kind === 'progress') call.interruption.throwIfInterrupted(report.stopped());
              if (dryRun && call.output.isReaderGone) return;
            }
          } catch (error) {
            throw error instanceof Unavailable ? report.cutOff(error) : error;
          } finally {
            report.endProgress();
          }
          await report.sum();
        },
        inManySteps,
      );
    });
}
