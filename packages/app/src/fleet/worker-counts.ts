import type { Meters } from '../metrics/meters.ts';
import type { PrimaryChannel } from './primary-channel.ts';

/** How often counts are sent unasked, in milliseconds: at most this much is lost with a killed worker. */
const betweenCounts = 1_000;

/** Sends this worker's counts to the primary: first at once, then on request, and once a second. */
export async function keepTelling(meters: Meters, channel: PrimaryChannel): Promise<void> {
  await tellCounts(meters, channel);
  channel.on('tell-counts', () => void tellCounts(meters, channel, true));
  setInterval(() => void tellCounts(meters, channel), betweenCounts).unref();
}

export async function tellCounts(meters: Meters, channel: PrimaryChannel, asked = false): Promise<void> {
  channel.tell({ kind: 'counts', counts: await meters.snapshots(), asked });
}
