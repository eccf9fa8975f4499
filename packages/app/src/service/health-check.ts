import { get } from 'node:http';
import { addEnvironmentFile } from '../settings/environment.ts';

/** The container's health check: exits with 0 if `/livez` answers 200, otherwise with 1. Its caller limits its time. */
addEnvironmentFile(process.env);
const { OPS_HOST, OPS_PORT } = process.env;
get({ host: OPS_HOST || '127.0.0.1', port: OPS_PORT || '3001', path: '/livez' }, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
}).on('error', () => process.exit(1));
