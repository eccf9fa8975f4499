import { get } from 'node:http';

/**
 * The container's health check, a program: it ends with 0 where `/livez` on the listener for operators says 200, else
 * with 1. How long it may take is for whoever calls it to say.
 */
const { OPS_HOST = '127.0.0.1', OPS_PORT = '3001' } = process.env;
get({ host: OPS_HOST, port: OPS_PORT, path: '/livez' }, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
}).on('error', () => process.exit(1));
