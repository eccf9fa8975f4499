import * as domain from '@campaign-mirror/domain';
import {
  type MirrorMoved,
  type MirrorMoves,
  type MoveLine,
  moveToAddresses,
} from '@campaign-mirror/domain/operator';
import type { Call } from '../terminal/call.ts';
import { type CsvFile, csvFile, named, readCsv } from '../terminal/csv-file.ts';
import { ClearError, orStopped } from '../terminal/errors.ts';
import { campaignFields } from './campaign-fields.ts';
import type { Plan } from './mirror-move-command.ts';
import { notAnIdentifier } from './words.ts';

/** What a file names; an export is such a file. */
const headings = {
  ...{ campaign: 'campaign', campaign_id: 'campaign', id: 'campaign' },
  ...{ address: 'address', target_url: 'address' },
  ...{ expected: 'expected', expected_address: 'expected', expected_target_url: 'expected' },
} as const;

/** In bytes: lines are kept in memory, so that those are set that the question was about. */
const mostMemory = 400_000_000;
/** What a line takes beside its texts, about. */
const lineMemory = 200;

/**
 * Sets the mirrors that a file of CSV names. The file is read once, before anything is asked or set.
 * @throws ClearError when it cannot be read, or is not such a file; Interrupted
 */
export async function settingPlan(call: Call, path: string) {
  const file = await csvFile(path, call.stdin);
  const reading = linesOf(call, file).catch((error) => {
    throw orStopped(error, 'Stopped. Nothing was done.');
  });
  let lines: readonly MoveLine[] = await reading;
  return async (moves: MirrorMoves, denied: domain.HostList): Promise<Plan> => ({
    async *events(dryRun) {
      const judged: MirrorMoved[] = [];
      const moving = { mirrors: moves, denied, includeDefault: false, dryRun };
      for await (const event of moveToAddresses(moving, lines, file.name)) {
        if (dryRun && event.kind !== 'progress') judged.push(event);
        yield event;
      }
      // Set is what the question has shown.
      if (dryRun) lines = judged;
    },
    done: 'set',
    total: lines.length,
    direction: `from ${file.name}`,
    none: `${file.name} changes nothing: ${lines.length > 0 ? 'each mirror has its address already' : 'it has no lines'}.`,
  });
}

/** Of several lines for one campaign none is to be set. */
async function linesOf(call: Call, file: CsvFile): Promise<MoveLine[]> {
  const lines: MoveLine[] = [];
  let memory = 0;
  const places = new Map<domain.CampaignId, number>();
  const leaveOut = async (columns: readonly string[]) => {
    const fields: readonly string[] = campaignFields;
    const others = columns.filter((name) => !fields.includes(name.toLowerCase()));
    if (others.length > 0) await call.output.note(`Left out: the columns ${named(others)}.`);
  };
  const format = { headings, required: ['campaign', 'address'], leaveOut } as const;
  for await (const read of readCsv(call, file, format)) {
    const { line } = read;
    const unread = (because: string, at = line) => ({ kind: 'unread', line: at, because }) as const;
    if (memory > mostMemory) throw new ClearError(`${file.name} is too large: leave out what stays as it is`);
    memory += lineMemory;
    if ('unread' in read) {
      lines.push(unread(read.unread));
      continue;
    }
    const { campaign: text = '', address = '', expected = '' } = read.fields;
    memory += address.length + expected.length;
    const campaign = domain.campaignId(text);
    const place = campaign && places.get(campaign);
    if (campaign === undefined) {
      lines.push(unread(`campaign: ${notAnIdentifier}`));
    } else if (place === undefined) {
      places.set(campaign, lines.push({ line, campaign, address, expected }) - 1);
    } else {
      const first = lines[place]?.line;
      lines[place] = unread(`campaign ${campaign} is in line ${line}, too`, first);
      lines.push(unread(`campaign ${campaign} is in line ${first} already`));
    }
  }
  return lines;
}
