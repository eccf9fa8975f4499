import { execFileSync } from 'node:child_process';
import { program } from '../programs.ts';

/** The calls that a unit's SystemCallFilter= lines let through: the first allows, those with a `~` take away again. */
export function allowedCalls(filters: readonly string[]): Set<string> {
  let allowed: string[] = [];
  for (const filter of filters) {
    const calls = filter.replace(/^~/, '').split(/\s+/).flatMap(callsOf);
    allowed = filter.startsWith('~') ? allowed.filter((one) => !calls.includes(one)) : allowed.concat(calls);
  }
  return new Set(allowed);
}

/** What is in a set of systemd such as `@system-service`; a call by its name is itself. */
function callsOf(name: string): string[] {
  if (!name.startsWith('@')) return [name];
  const words = ['syscall-filter', '--no-pager', name];
  const listed = execFileSync(program('systemd-analyze'), words, { encoding: 'utf8', stdio: 'pipe' });
  const [, ...members] = listed.split('\n').map((line) => line.trim());
  return members.filter((line) => line !== '' && !line.startsWith('#')).flatMap(callsOf);
}

/** What a trace of strace tells that was called, and the families of the sockets. */
export function tracedCalls(trace: string): { calls: Set<string>; families: Set<string> } {
  const calls = [...trace.matchAll(/^(?:\[pid +\d+\] )?([a-z_0-9]+)\(/gm)].map(([, name = '']) => name);
  const families = [...trace.matchAll(/\bsocket(?:pair)?\((AF_\w+)/g)].map(([, family = '']) => family);
  return { calls: new Set(calls), families: new Set(families) };
}
