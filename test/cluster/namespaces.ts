import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { program } from './programs.ts';

/**
 * Runs this script again in namespaces of its own: network, mounts, processes, shared memory. The kernel ends all that
 * was started there and drops all that was mounted, as soon as the first process there has ended, and that ends with
 * this one.
 */
export async function runIsolated(): Promise<never> {
  if (process.getuid?.() !== 0) throw new Error('only root can make the namespaces of the cluster');
  const withUs = ['--pdeathsig', 'KILL', program('unshare')];
  const apart = ['--net', '--mount', '--ipc', '--pid', '--fork', '--kill-child', '--mount-proc'];
  // A shell comes first: it reaps what others leave behind, as PostgreSQL's processes after Patroni's end.
  const line = [
    'sh',
    '-c',
    '"$@"; exit $?',
    'sh',
    process.execPath,
    ...process.execArgv,
    ...process.argv.slice(1),
  ];
  const env = { ...process.env, [inside]: 'yes' };
  const child = spawn(program('setpriv'), [...withUs, ...apart, ...line], { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => child.kill('SIGKILL'));
  const [code] = await once(child, 'exit');
  process.exit(code ?? 1);
}

const inside = 'CAMPAIGN_MIRROR_CLUSTER';

export const isIsolated = process.env[inside] !== undefined;
