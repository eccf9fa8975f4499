import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, prepareCluster } from './cluster.ts';
import { EmbeddedError } from './options.ts';
import { processOptions, unusable } from './programs.ts';

/** A free port of 127.0.0.1, below those of outgoing connections, which could occupy it first. */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 30_000);
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').catch(() => false);
  server.close();
  return isFree ? port : await freePort();
}

/** Reads postmaster.pid, which the server writes, and which remains if the server is killed. */
export async function readPostmaster(pgdata: string) {
  const text = await readFile(`${pgdata}/postmaster.pid`, 'utf8').catch(() => '');
  const [processId, , , port, , , , status] = text.split('\n').map((line) => line.trim());
  return { processId: Number(processId), port: Number(port), isReady: status === 'ready' };
}

/** On the command line, they override the postgresql.conf of existing clusters. */
const ownSettings = {
  // No socket file, because its path is limited to about 100 bytes.
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and parameters stay out of the log: an error may quote a parameter, and the DETAIL of a crash is the
  // running statement.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
};

/** A shell beside the server reads from a pipe. The pipe ends with this process; then the shell stops the server. */
const endingWithUs = `(exec sh -c 'read -r _; kill -INT "$0"' $$ <&3 2> /dev/null &); exec "$0" "$@" 3<&-`;

/** Creates a missing database, starts its server as a child, and waits until it is ready. Needs the lock. */
export async function startServer(cluster: Cluster) {
  const { folder, home, pgdata, user, settings, signal, onEvent, onLost } = cluster;
  onEvent?.('starting', { folder });
  const program = await prepareCluster(cluster);
  const options = Object.entries({ ...ownSettings, ...settings }).map(
    ([name, value]) => `--${name}=${value}`,
  );
  const logFile = `${home}/postgresql.log`;
  for (const deadline = Date.now() + 60_000; ; await pause(100, undefined, { signal })) {
    // In a restarted container, another process may have the number of a killed server.
    const { processId: before } = await readPostmaster(pgdata);
    const command = await readFile(`/proc/${before}/cmdline`, 'utf8').catch(() => '');
    if (command && !command.includes('postgres')) await rm(`${pgdata}/postmaster.pid`);
    const port = await freePort();
    await using log = await open(logFile, 'a', 0o600);
    const { size } = await log.stat();
    const child = spawn('/bin/sh', ['-c', endingWithUs, program, '-D', pgdata, '-p', `${port}`, ...options], {
      ...processOptions(user),
      // Ctrl-C in a terminal does not reach its session.
      detached: true,
      stdio: ['ignore', log.fd, log.fd, 'pipe'],
    });
    child.once('exit', () => (child.stdio[3] as Socket).destroy());
    const ended = once(child, 'exit').then(([code, by]) => `${by ?? `exit code ${code}`}`);
    let isStopping = false;
    /** A fast shutdown rolls back transactions and writes all data. */
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
    // On a full disk, the server cannot log. Then this write fails with the reason.
    await log.write(`The server ended before it was ready: ${await ended}\n`);
    const output = (await readFile(logFile)).subarray(size).toString();
    // The processes of a killed server end within a minute. Another program may have occupied the port.
    const mayPass = /lock file "postmaster.pid"|is still in use|could not bind/.test(output);
    if (!mayPass || Date.now() > deadline) throw unusable(folder, output, `see ${logFile}`);
  }
}
