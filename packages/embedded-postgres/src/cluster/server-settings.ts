import type { Cluster } from './cluster.ts';

/** Settings of the server by their names, as in postgresql.conf. */
export type ServerSettings = Record<string, string>;

/** The server's command line. It overrides postgresql.conf, so that an update also reaches existing clusters. */
export function serverArguments(cluster: Cluster, port: number, extra: ServerSettings): string[] {
  const settings: ServerSettings = {
    ...network,
    ...behaviour,
    ...logFiles(cluster),
    ...logSilence,
    ...extra,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', cluster.pgdata, '-p', String(port), ...options];
}

/** Reachable from this machine only, and not by a socket file: its path is limited to about 100 bytes. */
const network: ServerSettings = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };

const behaviour: ServerSettings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  lc_messages: 'C',
};

/** One file per day of the week, overwritten a week later. */
const logFiles = (cluster: Cluster): ServerSettings => ({
  logging_collector: 'on',
  log_destination: 'stderr',
  log_directory: cluster.logs,
  log_filename: 'postgresql-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
  log_file_mode: '0600',
  log_timezone: 'UTC',
});

/**
 * No statement and no parameter reaches the log. `log` as the least level leaves plain errors out, whose first line
 * may quote a parameter; they are the caller's to report. `terse` drops the DETAIL of a crash, the running statement.
 */
const logSilence: ServerSettings = {
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_duration: 'off',
  log_min_duration_statement: '-1',
  log_min_duration_sample: '-1',
  log_transaction_sample_rate: '0',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_autovacuum_min_duration: '-1',
  log_temp_files: '-1',
  log_lock_waits: 'off',
  log_checkpoints: 'off',
};
