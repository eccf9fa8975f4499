import type { Meters } from '../metrics/meters.ts';
import type { PrimaryChannel } from './primary-channel.ts';

/** How often the primary is told unasked, in milliseconds: so much is lost with a worker that is killed. */
const betweenCounts = 1_000;

/** Tells the primary what this worker has counted: from the first on, whenever it asks, and once a second. */
export async function keepTelling(meters: Meters, channel: PrimaryChannel): Promise<void> {
  await tellCounts(meters, channel);
  channel.on('tell-counts', () => void tellCounts(meters, channel, true));
  setInterval(() => void tellCounts(meters, channel), betweenCounts).unref();
}

export async function tellCounts(meters: Meters, channel: PrimaryChannel, asked = false): Promise<void> {
  channel.tell({ kind: 'counts', counts: await meters.snapshots(), asked });
}
