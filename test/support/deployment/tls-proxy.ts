import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { configuration } from '../documents/blocks.ts';
import { start } from '../process/service-process.ts';
import { program } from '../programs.ts';

export const host = 'mirror.example.com';

/** A certificate of its own making for a host, in a folder. */
export function selfMadeCertificate(folder: string, host: string) {
  const [certificate, key] = [`${folder}/certificate.pem`, `${folder}/key.pem`];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'];
  const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync(program('openssl'), ['req', ...kind, ...names, ...files], { stdio: 'pipe' });
  return { certificate, key, ca: readFileSync(certificate, 'utf8') };
}

interface Place extends ReturnType<typeof selfMadeCertificate> {
  readonly folder: string;
  readonly port: number;
  readonly upstream: number;
}

/** How each of them is told where to listen, whom to call and what to show, and how it says that it listens. */
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
    /** As /etc/nginx/nginx.conf of Debian has it around conf.d, in a folder of its own and in one process. */
    around: (folder: string, config: string) => {
      const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const temporary = kept.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
      return `user ${userInfo().username}; daemon off; master_process off; pid ${folder}/pid; error_log stderr notice;
events {}
http { access_log off; ${temporary} ${config} }
`;
    },
    words: (folder: string, file: string) => ['-p', folder, '-c', file],
    listens: 'using the "',
    stop: 'SIGQUIT',
  },
  caddy: {
    file: 'ops/Caddyfile',
    replaced: ({ port, upstream, certificate, key }: Place) => ({
      'auto_https disable_redirects': 'auto_https disable_redirects\n\tadmin off',
      [`{$MIRROR_SITE:${host}} {`]: `https://${host}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
      '{$MIRROR_UPSTREAM:127.0.0.1} 3000': `127.0.0.1 ${upstream}`,
    }),
    around: (_: string, config: string) => config,
    words: (_: string, file: string) => ['run', '--adapter', 'caddyfile', '--config', file],
    listens: 'serving initial configuration',
    stop: 'SIGTERM',
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
    around: (_: string, config: string) => config,
    words: (_: string, file: string) => ['-W', '-db', '-f', file],
    listens: 'Loading success',
    stop: 'SIGTERM',
  },
  apache2: {
    file: 'test/support/deployment/apache.conf',
    replaced: ({ port, upstream, certificate, key }: Place) => ({
      '127.0.0.1:443': `127.0.0.1:${port}`,
      '127.0.0.1:3000': `127.0.0.1:${upstream}`,
      '/etc/ssl/campaign-mirror.pem': certificate,
      '/etc/ssl/private/campaign-mirror.key': key,
    }),
    around: (folder: string, config: string) =>
      `DefaultRuntimeDir ${folder}\nPidFile ${folder}/pid\n${config}`,
    words: (folder: string, file: string) => ['-d', folder, '-f', file, '-D', 'FOREGROUND'],
    listens: 'resuming normal operations',
    stop: 'SIGTERM',
  },
} as const;

export type ProxyName = keyof typeof kinds;
/** Those for which ops/ has a configuration. */
export const proxyNames = ['nginx', 'caddy', 'haproxy'] as const satisfies ProxyName[];

export type TlsProxy = Awaited<ReturnType<typeof tlsProxy>>;

/** Starts a real proxy, which runs what ops/ holds for it, with texts replaced, in front of what listens on `upstream`. */
export async function tlsProxy(
  name: ProxyName,
  upstream: number,
  replaced: Readonly<Record<string, string>> = {},
) {
  const kind = kinds[name];
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-proxy-'));
  const place = { folder, upstream, port: await freePort(), ...selfMadeCertificate(folder, host) };
  const config = await configuration(kind.file, { ...kind.replaced(place), ...replaced });
  const file = join(folder, 'configuration');
  await writeFile(file, kind.around(folder, config));
  const own = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const process = start(program(name), kind.words(folder, file), own);
  await process.shows(kind.listens);
  /** Ends it as it is ended in life, and removes what it wrote. */
  const stop = async () => {
    await process.stop(kind.stop);
    await rm(folder, { recursive: true, force: true });
  };
  return { port: place.port, ca: place.ca, stop };
}

/** Where callers come from, so that they are not taken for the proxy. */
export const callersAddress = '127.0.0.2';

export interface TlsCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
  readonly method?: string;
}

export type TlsCaller = ReturnType<typeof tlsCaller>;
export type TlsAnswer = Awaited<ReturnType<TlsCaller['call']>>;

/** A caller that verifies the proxy's certificate, which is for this name, and keeps its connection. */
export function tlsCaller(
  { port, ca }: Pick<TlsProxy, 'port' | 'ca'>,
  servername: string = host,
  localAddress = callersAddress,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, localAddress });
  const to = {
    host: localAddress.includes(':') ? '::1' : '127.0.0.1',
    port,
    servername,
    agent,
  };
  /** @throws what breaks the connection */
  const call = async ({ path, headers, body, method = 'POST' }: TlsCall) => {
    const sent = request({ ...to, path, method, headers: { Host: servername, ...headers } });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const bytes = await buffer(response);
    const answer = response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    return { status: response.statusCode, headers: response.headers, body: String(answer) };
  };
  return { call, close: () => agent.destroy() };
}

/** Sends these bytes, and resolves with all that comes until this end, or until the proxy closes the connection. */
export async function exchange(
  { port, ca }: Pick<TlsProxy, 'port' | 'ca'>,
  bytes: string,
  end?: string,
): Promise<string> {
  const from = { localAddress: callersAddress };
  const socket = connect({ host: '127.0.0.1', port, ca, servername: host, ...from });
  socket.setEncoding('utf8').write(bytes);
  let came = '';
  for await (const chunk of socket) {
    came += chunk;
    if (end && came.endsWith(end)) break;
  }
  return came;
}
