import type * as domain from '@campaign-mirror/domain';
import type { ChangeFeed } from '@campaign-mirror/domain/operator';
import * as parse from '../terminal/arguments.ts';
import { leaf } from '../terminal/arguments.ts';
import { type Call, pauseUntilAborted } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { ChangeFollower, feedOverlap } from './change-follower.ts';
import { changeColumns } from './history-commands.ts';
import type { OperatorAccess } from './ports.ts';

/** The time between two attempts to connect again, in milliseconds. */
const betweenAttempts = 500;

export function follow(call: Call, operator: OperatorAccess) {
  return leaf(
    'follow',
    'print the changes of mirrors as they are committed, within some 100 ms, until Ctrl-C, or until the reader of a pipe has gone and another change comes',
    [
      'mirror follow',
      'mirror follow --owner 42 --json | kcat -P -b broker.example -t mirrors',
      'mirror follow --since 2026-11-20T15:36:00Z --json',
    ],
  )
    .option('--since <time>', 'first those since this time in UTC', parse.moment)
    .option('--owner <n>', 'only changes of campaigns that had this owner at that moment', parse.owner)
    .option('--campaign <n>', 'only changes of this campaign, which may not exist yet', parse.campaign)
    .addHelpText('after', `\n${again}`)
    .action(async (changes) => {
      const { signal, output } = call;
      const isOver = () => signal.aborted || output.isReaderGone;
      const print = output.rowPrinter(changeColumns);
      const note = noteOnce(call);
      const follower = new ChangeFollower(changes);
      let hasBegun = false;
      while (!isOver()) {
        const session = async ({ feed }: { readonly feed: ChangeFeed }) => {
          const { since } = follower;
          let looks = 0;
          for await (const step of follower.session(feed)) {
            if (!('lookedAt' in step)) await print(step);
            else if (looks++ === 0) await note(hasBegun ? readAgain(since) : 'Following. Ctrl-C ends it.');
            hasBegun = true;
            if (isOver()) return;
          }
        };
        try {
          await operator.acting(session, { pace: 'unhurried', besideService: true, state });
        } catch (error) {
          if (isOver()) return;
          if (!hasBegun || !(error instanceof ClearError && error.kind === 'away')) throw error;
          await note(`${error.message.replace(/\): .*/s, ')')}: connecting again.`);
          await pauseUntilAborted(signal, betweenAttempts);
        }
      }
    });
}

const again = `After a lost connection or a failover it connects again, and reads again from ${feedOverlap} s before: it prints no change
twice, and misses only those of a transaction that was open for longer than that. To go on after its end, start it
with --since a minute before the last line, and drop the changes that you have, by their numbers: the same holds then.`;

/** What remains, in an error, of an act that only reads. */
const state = 'no change is lost';

const readAgain = (since: domain.Timestamp | undefined) =>
  `Connected again: reading again from ${since} on, without what was printed.`;

/** Prints a note, unless it is the same as the one before. */
function noteOnce({ output }: Call) {
  let last = '';
  return async (line: string): Promise<void> => {
    if (line !== last) await output.note(line);
    last = line;
  };
}
