import * as parse from '../terminal/arguments.ts';
import { leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { changeColumns } from './history-commands.ts';
import type { OperatorAccess } from './ports.ts';

export function follow(call: Call, operator: OperatorAccess) {
  return leaf('follow', 'print changes as they are committed, each with its position, until Ctrl-C', [
    'mirror follow',
    'mirror follow --owner 42 --json | kcat -P -b broker.example -t mirrors',
    'mirror follow --from "$position" --json',
  ])
    .argument('[campaign]', 'only changes of this campaign, which may not exist yet', parse.campaign)
    .option('--from <position>', 'go on after the line with this position; otherwise from now on')
    .option('--owner <n>', 'only changes of campaigns that had this owner at that moment', parse.owner)
    .addHelpText('after', `\n${ends}`)
    .action(async (campaign, changes) => {
      const { signal, output } = call;
      const isOver = () => signal.aborted || output.isReaderGone;
      const print = output.rowPrinter({ columns: [...changeColumns, 'position'] });
      await operator
        .acting(
          async ({ feed }) => {
            for await (const step of feed.follow({ ...changes, campaign })) {
              if ('id' in step) await print(step);
              else await output.note('Following. Ctrl-C ends it.');
              if (!('id' in step || changes.from) && output.json) await output.object(step);
              if (isOver()) return;
            }
            throw new ClearError(refused, 'position');
          },
          {
            pace: 'in-steps',
            besideService: true,
            state: 'with --from and the last position no change is lost',
          },
        )
        .catch((error) => {
          if (!isOver()) throw error;
        });
    });
}

const ends = `Without --from, the first line of --json has only the present position. A database that becomes unavailable ends it with
exit code 3: go on with the last position. A position is of one server, until that is started again or its statistics
are reset: a position of another one ends it with exit code 4. Then start it without --from, and read anew what you keep.`;

const refused =
  'this is no position of this server since its last start, or since its statistics were reset: start without --from, and read anew what you keep';
