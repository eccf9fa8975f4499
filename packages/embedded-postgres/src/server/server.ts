import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, prepareCluster } from './cluster.ts';
import { EmbeddedError, unusable } from './errors.ts';
import { processOptions } from './programs.ts';

/** A free port of 127.0.0.1, below those of outgoing connections: such a one could take it before the database does. */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 30_000);
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').catch(() => false);
  server.close();
  return isFree ? port : await freePort();
}

/** What the server writes about itself into postmaster.pid, which remains if the server is killed. */
export async function readPostmaster(pgdata: string) {
  const text = await readFile(`${pgdata}/postmaster.pid`, 'utf8').catch(() => '');
  const [processId, , , port, , , , status] = text.split('\n').map((line) => line.trim());
  return { processId: Number(processId), port: Number(port), isReady: status === 'ready' };
}

/** They override postgresql.conf, so that an update also reaches existing clusters. */
const ownSettings = {
  // The server listens on this machine only, and not on a socket file, whose path is limited to about 100 bytes.
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // No statement and no parameter reaches the log: these settings leave out plain errors, whose first line may quote a
  // parameter (the caller reports them), and `terse` the DETAIL of a crash, which is the running statement.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
};

/** Beside the server, a shell reads from a pipe that ends with this process, even if it is killed; then it stops it. */
const endingWithUs = `(exec sh -c 'read -r _; kill -INT "$0"' $$ <&3 2> /dev/null &); exec "$0" "$@" 3<&-`;

/** Creates the database if there is none, starts its server as a child, and waits until it is ready. Needs the lock. */
export async function startServer(cluster: Cluster) {
  const { folder, home, pgdata, user, settings, signal, onEvent, onLost } = cluster;
  onEvent?.('starting', { folder });
  const program = await prepareCluster(cluster);
  const all = Object.entries({ ...ownSettings, ...settings });
  const options = all.map(([name, value]) => `--${name}=${value}`);
  const logFile = `${home}/postgresql.log`;
  for (const deadline = Date.now() + 60_000; ; await pause(100, undefined, { signal })) {
    // In a container that was started again, another program may have the number of a server that was killed.
    const { processId: before } = await readPostmaster(pgdata);
    const command = await readFile(`/proc/${before}/cmdline`, 'utf8').catch(() => '');
    if (command && !command.includes('postgres')) await rm(`${pgdata}/postmaster.pid`);
    const port = await freePort();
    await using log = await open(logFile, 'a', 0o600);
    const { size } = await log.stat();
    const child = spawn('/bin/sh', ['-c', endingWithUs, program, '-D', pgdata, '-p', `${port}`, ...options], {
      ...processOptions(user),
      // A session of its own, so that Ctrl-C in a terminal does not reach it.
      detached: true,
      stdio: ['ignore', log.fd, log.fd, 'pipe'],
    });
    child.once('exit', () => (child.stdio[3] as Socket).destroy());
    const ended = once(child, 'exit').then(([code, by]) => `${by ?? `exit code ${code}`}`);
    let isStopping = false;
    /** A fast shutdown rolls transactions back and writes all data. It is not waited for longer than 35 s. */
    const stop = async () => {
      isStopping = true;
      child.kill('SIGINT');
      await Promise.race([ended, pause(35_000, undefined, { ref: false })]);
    };
    while (!(await Promise.race([ended, pause(10)]))) {
      const { processId, isReady } = await readPostmaster(pgdata);
      if (isReady && processId === child.pid) {
        onEvent?.('started', { processId, port });
        void ended.then((how) => {
          if (isStopping) return onEvent?.('stopped', { processId, port });
          const what = `The embedded database in ${folder} ended by itself (${how})`;
          onLost?.(new EmbeddedError(`${what}: see ${logFile}, and start again.`));
        });
        return { port, stop };
      }
      if (signal?.aborted) await stop();
    }
    // On a full disk the server has logged nothing; this error says why.
    await log.write(`The server ended before it was ready: ${await ended}\n`);
    const output = (await readFile(logFile)).subarray(size).toString();
    // The processes of a killed server end within a minute; or another program has taken the port meanwhile.
    const mayPass = /lock file "postmaster.pid"|is still in use|could not bind/.test(output);
    if (!mayPass || Date.now() > deadline) throw unusable(folder, output, `see ${logFile}`);
  }
}
