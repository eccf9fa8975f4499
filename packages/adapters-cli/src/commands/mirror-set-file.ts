import * as domain from '@campaign-mirror/domain';
import {
  campaignColumns,
  type MirrorMoved,
  type MirrorMoves,
  type MoveLine,
  moveToAddresses,
} from '@campaign-mirror/domain/operator';
import type { Call } from '../terminal/call.ts';
import { readCsv, sourceName } from '../terminal/csv-file.ts';
import { ClearError, orStopped } from '../terminal/errors.ts';
import type { Plan } from './mirror-move-command.ts';
import { notAnIdentifier } from './words.ts';

/** What a file names; an export is such a file, whose other columns are not looked at. */
const headings = {
  ...Object.fromEntries(campaignColumns.map((column) => [column, null])),
  ...{ campaign: 'campaign', campaign_id: 'campaign', id: 'campaign' },
  ...{ address: 'address', target_url: 'address' },
  ...{ expected: 'expected', expected_address: 'expected', expected_target_url: 'expected' },
} as const;
const columns = { headings, required: ['campaign', 'address'], ignoreOthers: true } as const;

/** In bytes: lines are kept in memory, so that those are set that the question was about. */
const mostMemory = 400_000_000;
/** What a line takes beside its texts, about. */
const lineMemory = 200;

/**
 * Sets the mirrors that a file of CSV names. The file is read once, before anything is asked or set.
 * @throws ClearError when it cannot be read, or is not such a file; Interrupted
 */
export async function settingPlan(call: Call, path: string) {
  const name = sourceName(path);
  const reading = linesOf(call, path).catch((error) => {
    throw orStopped(error, 'Stopped. Nothing was done.');
  });
  let lines: readonly MoveLine[] = await reading;
  return async (moves: MirrorMoves, denied: domain.HostList): Promise<Plan> => ({
    async *events(dryRun) {
      const judged: MirrorMoved[] = [];
      const moving = { mirrors: moves, denied, includeDefault: false, dryRun };
      for await (const event of moveToAddresses(moving, lines, name)) {
        if (dryRun && event.kind !== 'progress') judged.push(event);
        yield event;
      }
      // Set is what the question has shown.
      if (dryRun) lines = judged;
    },
    done: 'set',
    total: lines.length,
    direction: `from ${name}`,
    none: `${name} changes nothing: ${lines.length > 0 ? 'each mirror has its address already' : 'it has no lines'}.`,
  });
}

/** Of several lines for one campaign none is to be set. */
async function linesOf(call: Call, path: string): Promise<MoveLine[]> {
  const lines: MoveLine[] = [];
  let memory = 0;
  const places = new Map<domain.CampaignId, number>();
  for await (const { line, fields, unread: because } of readCsv(call, path, columns)) {
    const unread = (because: string, at = line) => ({ kind: 'unread', line: at, because }) as const;
    if (memory > mostMemory)
      throw new ClearError(`${sourceName(path)} is too large: leave out what stays as it is`);
    memory += lineMemory;
    if (!fields) {
      lines.push(unread(because));
      continue;
    }
    const { campaign: text = '', address = '', expected = '' } = fields;
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
