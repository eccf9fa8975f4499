import { get } from 'node:http';
import { setDefaultAutoSelectFamily } from 'node:net';
import { addEnvironmentFile } from '../settings/environment.ts';

/** The container's health check: exits with 0 if `/livez` answers 200, otherwise with 1. Its caller limits its time. */
addEnvironmentFile(process.env);
const { OPS_HOST, OPS_PORT } = process.env;
// Of a name with several addresses, the first is the container's own: no other container may answer in its place.
setDefaultAutoSelectFamily(false);
const [host, port] = [OPS_HOST || '127.0.0.1', OPS_PORT || '3001'];
get({ host, port, path: '/livez' }, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
}).on('error', () => process.exit(1));
