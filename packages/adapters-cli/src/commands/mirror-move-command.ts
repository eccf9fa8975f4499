import type * as domain from '@campaign-mirror/domain';
import * as given from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { leaf } from '../terminal/leaf.ts';
import type { Progress } from '../terminal/progress.ts';
import { counted, printable } from '../terminal/text.ts';
import { cutOff } from '../words/cut-off.ts';
import type { Operator } from './operator.ts';

export function move(call: Call, operator: Operator) {
  return leaf('move', 'move every mirror on one host to another host, such as when a domain is blocked', [
    'mirror move --from-host old.example --to-host new.example --dry-run',
    'mirror move --from-host old.example --to-host new.example --subdomains --owner 42',
  ])
    .requiredOption('--from-host <host>', 'the host to move from, in any spelling; required', given.host)
    .requiredOption('--to-host <host>', 'the host to move to, spelled as given; required', given.host)
    .option('--subdomains', 'also move every name below it: x.old.example becomes x.new.example')
    .option('--owner <n>', "only mirrors of this owner's campaigns", given.owner)
    .option('--include-default', 'also move mirrors of default campaigns, which otherwise are not moved')
    .option('--dry-run', 'show each address before and after, and change nothing')
    .action(async ({ fromHost, toHost, subdomains = false, owner, json, ...chosen }) => {
      const { hostMove, MoveMirrors } = await import('@campaign-mirror/domain');
      const { progress } = await import('../terminal/progress.ts');
      const { includeDefault = false, dryRun = false } = chosen;
      const { output, interruption } = call;
      const counts = { moved: 0, 'would-move': 0, refused: 0, invalid: 0, 'changed-meanwhile': 0, held: 0 };
      const moved = () => `${counted(counts.moved, 'mirror was', 'mirrors were')} moved`;
      let looked = 0;
      let bar: Progress | undefined;
      const tell = async (event: domain.MirrorMoved | domain.MoveProgress): Promise<void> => {
        if (event.kind === 'progress') {
          looked = event.looked;
          bar ??= progress(call, dryRun ? 'looking' : 'moving', event.total);
          bar.at(looked);
          return interruption.throwIfInterrupted(
            dryRun ? 'Stopped. Nothing was done.' : `Stopped: ${moved()}. Run it again to go on.`,
          );
        }
        counts[event.kind] += 1;
        if (json) return output.object(objectOf(event));
        if (event.kind === 'moved') return;
        // The line takes the place of the bar; the next progress draws another one.
        bar?.stop();
        bar = undefined;
        await output.print(sentenceOf(event));
      };
      await operator.acting(
        async ({ moves }, { deniedHosts, undoneBy }) => {
          const move = hostMove(fromHost, toHost, subdomains, deniedHosts);
          if ('fault' in move) throw refused(move.fault, fromHost.written, toHost.written);
          const request = { move, includeDefault, dryRun, ...(owner && { owner }) };
          try {
            for await (const event of new MoveMirrors(moves, deniedHosts).execute(request)) {
              await tell(event);
              if (dryRun && output.isReaderGone) return;
            }
          } catch (error) {
            throw cutOff(error, dryRun ? undefined : moved(), undoneBy);
          } finally {
            bar?.stop();
          }
        },
        { pace: 'in-steps' },
      );
      const all = Object.entries(counts);
      const each = all.map(([kind, count]) => [kind.replace('-', '_'), count]);
      const to = `from ${fromHost.written} to ${toHost.written}`;
      const would = `${counted(counts['would-move'], 'mirror')} would be moved ${to}; nothing was done.`;
      const whose = owner ? ` of the owner ${owner}` : '';
      const none = `No mirror${whose} is on ${fromHost.written}${subdomains ? ' or a name below it' : ''}.`;
      const isNone = all.every(([, count]) => count === 0);
      const sum = isNone ? none : dryRun ? would : `${moved()} ${to}.`;
      await output.answer(json, { looked_at: looked, ...Object.fromEntries(each) }, sum);
      const left = all.filter(([kind, count]) => count > 0 && kind !== 'moved' && kind !== 'would-move');
      if (left.length === 0 || (dryRun && output.isReaderGone)) return;
      const why = left.map(([kind, count]) => `${count} ${kind.replace('-', ' ')}`).join(', ');
      throw new ClearError(`not every mirror ${dryRun ? 'would be' : 'was'} moved: ${why}`);
    });
}

/** Why a move is invalid, and what to do instead. */
function refused(fault: domain.HostMoveFault, from: string, to: string): ClearError {
  if (fault === 'no-names-below')
    return new ClearError('an IP address has no names below it: leave out --subdomains', 'usage');
  if (fault === 'denied-host') return new ClearError(`--to-host: MIRROR_HOST_DENYLIST denies ${to}`);
  const because = `${to} matches ${from}, so a mirror that was moved would be moved again`;
  return new ClearError(`${because}: use another --to-host`);
}

/** The JSON output. */
function objectOf(mirror: domain.MirrorMoved): object {
  const { campaign, kind, before, after } = mirror;
  const because = 'because' in mirror && { because: mirror.because };
  return { campaign_id: campaign, outcome: kind, before, after: after ?? null, ...because };
}

/** The output for people. */
function sentenceOf(mirror: domain.MirrorMoved): string {
  const before = `campaign ${mirror.campaign}: ${printable(mirror.before)}`;
  if (mirror.kind === 'would-move') return `${before} → ${printable(mirror.after)}`;
  const otherwise = mirror.kind === 'held' ? 'held' : 'changed-meanwhile';
  return `${before} is not moved: ${reasons['because' in mirror ? mirror.because : otherwise]}`;
}

/** Why a mirror is not moved. */
const reasons: Readonly<
  Record<domain.OperatorRefusal | domain.AddressFault | 'held' | 'changed-meanwhile', string>
> = {
  'mirror-not-created': 'it was not created in the settings',
  'default-campaign': 'it is that of a default campaign; --include-default moves it, too',
  'too-long': 'its address would be longer than 2048 characters',
  'not-a-url': 'the new address would not be a valid mirror address',
  'denied-host': 'MIRROR_HOST_DENYLIST denies the host that it would have',
  held: 'another transaction holds it',
  'changed-meanwhile': 'the campaign or its mirror was changed meanwhile',
};
