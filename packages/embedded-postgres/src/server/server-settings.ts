/** Settings of the server by their names, as in postgresql.conf. */
export type ServerSettings = Record<string, string>;

/** The server's command line. It overrides postgresql.conf, so that an update also reaches existing clusters. */
export function serverArguments(pgdata: string, port: number, extra: ServerSettings): string[] {
  const options = Object.entries({ ...usual, ...extra }).map(([name, value]) => `--${name}=${value}`);
  return ['-D', pgdata, '-p', String(port), ...options];
}

const usual: ServerSettings = {
  // Reachable from this machine only, and not by a socket file: its path is limited to about 100 bytes.
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // No statement and no parameter reaches the log: this leaves plain errors out, whose first line may quote a parameter;
  // they are the caller's to report. `terse` drops the DETAIL of a crash, the running statement.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_autovacuum_min_duration: '-1',
  log_checkpoints: 'off',
};
