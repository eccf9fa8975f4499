import { execFileSync } from 'node:child_process';
import { program } from '../programs.ts';

/** The calls that a unit's SystemCallFilter= lines let through: the first allows, those with a `~` take away again. */
export function allowedCalls(filters: readonly string[]): Set<string> {
  let allowed = new Set<string>();
  for (const filter of filters) {
    const calls = callsOf(filter.replace(/^~/, '').split(/\s+/));
    allowed = filter.startsWith('~')
      ? new Set([...allowed].filter((call) => !calls.has(call)))
      : new Set([...allowed, ...calls]);
  }
  return allowed;
}

/** Sets of systemd such as `@system-service` with what is in them, and calls by their names. */
function callsOf(names: readonly string[]): Set<string> {
  const calls = names.flatMap((name) => (name.startsWith('@') ? [...callsOf(membersOf(name))] : [name]));
  return new Set(calls);
}

function membersOf(set: string): string[] {
  const words = ['syscall-filter', '--no-pager', set];
  const listed = execFileSync(program('systemd-analyze'), words, { encoding: 'utf8', stdio: 'pipe' });
  return listed
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** What a trace of strace tells that was called, and the families of the sockets. */
export function tracedCalls(trace: string): { calls: Set<string>; families: Set<string> } {
  const calls = [...trace.matchAll(/^(?:\[pid +\d+\] )?([a-z_0-9]+)\(/gm)].map(([, name = '']) => name);
  const families = [...trace.matchAll(/\bsocket(?:pair)?\((AF_\w+)/g)].map(([, family = '']) => family);
  return { calls: new Set(calls), families: new Set(families) };
}
