import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { configuration } from '../documents/blocks.ts';
import { start } from '../process/service-process.ts';
import { program } from '../programs.ts';

export const host = 'mirror.example.com';
/** The address of callers, which differs from that of the proxy. */
export const callersAddress = '127.0.0.2';
interface Place {
  readonly folder: string;
  readonly port: number;
  readonly upstream: number;
  readonly certificate: string;
  readonly key: string;
}

/** For each proxy: its file in ops/, the texts to replace, its arguments, and its line when it listens. */
const kinds = {
  nginx: {
    file: 'ops/nginx.conf',
    replaced: ({ folder, port, upstream, certificate, key }: Place) => ({
      'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
      'listen [::]:443 ssl': `listen [::1]:${port} ssl`,
      '127.0.0.1:3000': `127.0.0.1:${upstream}`,
      '/var/log/nginx/campaign-mirror.log': `${folder}/access.log`,
      '/etc/ssl/campaign-mirror.pem': certificate,
      '/etc/ssl/private/campaign-mirror.key': key,
    }),
    words: (folder: string, file: string) => ['-p', folder, '-c', file],
    listens: 'using the "',
  },
  caddy: {
    file: 'ops/Caddyfile',
    replaced: ({ port, upstream, certificate, key }: Place) => ({
      'auto_https disable_redirects': 'auto_https disable_redirects\n\tadmin off',
      [`{$MIRROR_SITE:${host}} {`]: `https://${host}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
      '{$MIRROR_UPSTREAM:127.0.0.1} 3000': `127.0.0.1 ${upstream}`,
    }),
    words: (_: string, file: string) => ['run', '--adapter', 'caddyfile', '--config', file],
    listens: 'serving initial configuration',
  },
  haproxy: {
    file: 'ops/haproxy.cfg',
    replaced: ({ port, upstream, certificate, key }: Place) => {
      copyFileSync(key, `${certificate}.key`);
      return {
        'bind :443 ssl': `bind 127.0.0.1:${port},[::1]:${port} ssl`,
        '/etc/haproxy/campaign-mirror.pem': certificate,
        '127.0.0.1:3000': `127.0.0.1:${upstream}`,
      };
    },
    words: (_: string, file: string) => ['-W', '-db', '-f', file],
    listens: 'Loading success',
  },
} as const;

/** The rest of Debian's /etc/nginx/nginx.conf, in one process and one folder. */
const nginxAround = (folder: string, config: string) => {
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kept.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  return `user ${userInfo().username}; daemon off; master_process off; pid ${folder}/pid; error_log stderr notice;
events {}
http { access_log off; ${temporary} ${config} }\n`;
};

type ProxyName = keyof typeof kinds;
export const proxyNames = ['nginx', 'caddy', 'haproxy'] as const satisfies ProxyName[];
export type TlsProxy = Awaited<ReturnType<typeof tlsProxy>>;

/** Starts a proxy with its file of ops/, in which texts are replaced, before the server on the port `upstream`. */
export async function tlsProxy(
  name: ProxyName,
  upstream: number,
  replaced: Readonly<Record<string, string>> = {},
) {
  const kind = kinds[name];
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-proxy-'));
  const [certificate, key] = [`${folder}/certificate.pem`, `${folder}/key.pem`];
  const names = `-subj /CN=${host} -addext subjectAltName=DNS:${host}`;
  const words = `req -x509 -newkey rsa:2048 -noenc -days 2 ${names} -keyout ${key} -out ${certificate}`.split(
    ' ',
  );
  execFileSync(program('openssl'), words, { stdio: 'pipe' });
  const place = { folder, upstream, port: await freePort(), certificate, key };
  const config = await configuration(kind.file, { ...kind.replaced(place), ...replaced });
  const file = join(folder, 'configuration');
  await writeFile(file, name === 'nginx' ? nginxAround(folder, config) : config);
  const own = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const process = start(program(name), kind.words(folder, file), own);
  await process.shows(kind.listens);
  const stop = async () => {
    await process.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { port: place.port, ca: readFileSync(certificate, 'utf8'), stop };
}

export interface TlsCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
}

export type TlsCaller = ReturnType<typeof tlsCaller>;

/** A caller with one connection, who verifies the proxy's certificate. */
export function tlsCaller(
  { port, ca }: Pick<TlsProxy, 'port' | 'ca'>,
  servername: string = host,
  localAddress = callersAddress,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, localAddress });
  const to = { host: localAddress.includes(':') ? '::1' : '127.0.0.1', port, servername, agent };
  /** @throws Error that broke the connection */
  const call = async ({ path, headers, body }: TlsCall) => {
    const sent = request({ ...to, path, method: 'POST', headers: { Host: servername, ...headers } });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  };
  return { call, close: () => agent.destroy() };
}
