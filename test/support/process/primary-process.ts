import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { eventually } from '../eventually.ts';
import { type Listening, type LogLine, listeningService, type RunningProcess } from './service-process.ts';

/** A service by several processes. */
export interface Fleet extends Listening {
  /** The lines of the workers that serve, in the order in which they came to it. */
  readonly workers: () => LogLine[];
}

export async function listeningFleet(settings: Record<string, string>, workers = 2): Promise<Fleet> {
  const service = await listeningService({ WORKERS: String(workers), ...settings });
  await times(service.process, 'worker-listening', workers);
  return { ...service, workers: () => eventsOf(service.process, 'worker-listening') };
}

export function eventsOf(process: RunningProcess, name: string): LogLine[] {
  return process.log.filter(({ event }) => event === name);
}

/** Resolves when there were so many lines of this event. */
export function times(process: RunningProcess, name: string, count: number): Promise<LogLine[]> {
  return process.says(() => {
    const seen = eventsOf(process, name);
    return seen.length >= count ? seen : undefined;
  });
}

/** The same, also when the process that was started is gone and others write on. */
export async function timesAfterItsEnd(process: RunningProcess, name: string, count: number): Promise<void> {
  await eventually(`${count} times ${name}`, () => expect(eventsOf(process, name)).to.have.length(count));
}

/** Whether the process exists and is not only waiting to be reaped. */
export function lives(pid: unknown): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return false;
  }
}

/** Resolves when it has ended; whose child it was does not matter. */
export async function ended(pid: unknown): Promise<void> {
  await eventually(`the end of the process ${pid}`, () => expect(lives(pid)).to.equal(false));
}
