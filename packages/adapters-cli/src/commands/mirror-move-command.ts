import type { Host, HostMoveFault } from '@campaign-mirror/domain';
import { hostArgument, ownerArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { leaf } from '../terminal/leaf.ts';
import type { Operator } from './operator.ts';

export function move(call: Call, operator: Operator) {
  return leaf({
    name: 'move',
    does: 'move every mirror on one host to another host, such as when a domain is blocked',
    examples: [
      'mirror move --from-host old.example --to-host new.example --dry-run',
      'mirror move --from-host old.example --to-host new.example --subdomains --owner 42',
    ],
  })
    .requiredOption('--from-host <host>', 'the host to move from, in any spelling; required', hostArgument)
    .requiredOption('--to-host <host>', 'the host to move to, spelled as given; required', hostArgument)
    .option('--subdomains', 'also move every name below it: x.old.example becomes x.new.example')
    .option('--owner <n>', "only mirrors of this owner's campaigns", ownerArgument)
    .option('--include-default', 'also move mirrors of default campaigns, which otherwise are not moved')
    .option('--dry-run', 'show each address before and after, and change nothing')
    .action(async ({ fromHost, toHost, subdomains = false, owner, json, ...chosen }) => {
      const { hostMove, MoveMirrors } = await import('@campaign-mirror/domain');
      const { MoveReport } = await import('./move-report.ts');
      const { includeDefault = false, dryRun = false } = chosen;
      await operator.acting(
        async ({ moves }, { deniedHosts, undoneBy }) => {
          const move = hostMove(fromHost, toHost, subdomains, deniedHosts);
          if ('fault' in move) throw refused(move.fault, fromHost, toHost);
          const request = { move, includeDefault, dryRun, ...(owner && { owner }) };
          const report = new MoveReport(call, request, fromHost, json);
          try {
            for await (const event of new MoveMirrors(moves, deniedHosts).execute(request)) {
              await report.tell(event);
              if (event.kind === 'progress') call.interruption.throwIfInterrupted(report.stopped());
              if (dryRun && call.output.isReaderGone) return;
            }
          } catch (error) {
            throw report.cutOff(error, undoneBy);
          } finally {
            report.endProgress();
          }
          await report.sum();
        },
        { pace: 'in-steps' },
      );
    });
}

/** Why a move is invalid, and what to do instead. */
function refused(fault: HostMoveFault, from: Host, to: Host): ClearError {
  switch (fault) {
    case 'no-names-below':
      return new ClearError('an IP address has no names below it: leave out --subdomains', 'usage');
    case 'matches-itself':
      return new ClearError(
        `${to.written} matches ${from.written}, so a mirror that was moved would be moved again: use another --to-host`,
      );
    case 'denied-host':
      return new ClearError(`--to-host: MIRROR_HOST_DENYLIST denies ${to.written}`);
  }
}
