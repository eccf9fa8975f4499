import { get } from 'node:http';
import { setDefaultAutoSelectFamily } from 'node:net';
import { addEnvironmentFile } from '../settings/environment.ts';

/** The health check of the container: exit code 0 if `/livez` answers 200, otherwise 1. The caller limits its time. */
addEnvironmentFile(process.env);
const { OPS_HOST, OPS_PORT } = process.env;
// The first address of a name is the container's own. Without this line, another container could answer.
setDefaultAutoSelectFamily(false);
const [host, port] = [OPS_HOST || '127.0.0.1', OPS_PORT || '3001'];
get({ host, port, path: '/livez' }, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
}).on('error', () => process.exit(1));
