import * as domain from '@campaign-mirror/domain';
import type { Call } from '../terminal/call.ts';
import { named, readCsv } from '../terminal/csv-file.ts';
import { ClearError } from '../terminal/errors.ts';
import { inputFile, readWithProgress } from '../terminal/input-file.ts';
import type { Plan } from './mirror-move-command.ts';

/** What a file names; an export is such a file. */
const headings = {
  ...{ campaign: 'campaign', campaign_id: 'campaign', id: 'campaign' },
  ...{ address: 'address', target_url: 'address' },
  ...{ expected: 'expected', expected_address: 'expected', expected_target_url: 'expected' },
} as const;

/** They are kept in memory, some hundred bytes each, so that the same lines are set that the question was about. */
const mostLines = 1_000_000;

/**
 * Sets the mirrors that a file of CSV names. The file is read once, before anything is asked or set.
 * @throws ClearError when it cannot be read, or is not such a file; Interrupted
 */
export async function settingPlan(call: Call, path: string) {
  const file = await inputFile(path, call.stdin);
  const leaveOut = async (columns: readonly string[]) => {
    const fields: readonly string[] = domain.campaignFields;
    const others = columns.filter((name) => !fields.includes(name.toLowerCase()));
    if (others.length > 0) await call.output.note(`Left out: the columns ${named(others)}.`);
  };
  const format = { headings, required: ['campaign', 'address'], leaveOut } as const;
  let lines: (domain.AddressLine | domain.MirrorMoved)[] = [];
  const places = new Map<domain.CampaignId, number>();
  for await (const read of readCsv(readWithProgress(call, 'Reading', file), format)) {
    const { line } = read;
    const unread = (because: string, line: number) => ({ kind: 'unread', line, because }) as const;
    if (lines.length === mostLines)
      throw new ClearError(
        `${file.name} has more than ${mostLines} lines: leave out those that change nothing`,
      );
    if ('unread' in read) {
      lines.push(unread(read.unread, line));
      continue;
    }
    const { campaign: text = '', address = '', expected = '' } = read.fields;
    const campaign = domain.campaignId(text);
    const place = campaign && places.get(campaign);
    if (campaign === undefined) {
      lines.push(unread('campaign: it must be a whole number from 1 to 9007199254740991', line));
    } else if (place === undefined) {
      places.set(campaign, lines.length);
      lines.push({ line, campaign, address, expected });
    } else {
      const first = lines[place]?.line ?? 0;
      lines[place] = unread(`campaign ${campaign} is in line ${line}, too`, first);
      lines.push(unread(`campaign ${campaign} is in line ${first} already`, line));
    }
  }
  return (moves: domain.MirrorMoves, denied: domain.HostList): Plan => ({
    async *events(dryRun) {
      const judged: domain.MirrorMoved[] = [];
      const request = { details: { file: file.name }, dryRun };
      for await (const event of domain.setMirrors(moves, lines, request, denied)) {
        if (event.kind !== 'progress') judged.push(event);
        yield event;
      }
      lines = judged;
    },
    verb: 'set',
    direction: `from ${file.name}`,
    none: `${file.name} changes nothing: each mirror has its address already.`,
  });
}
