import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { type RunningProcess, start } from '../process/service-process.ts';
import { program } from '../programs.ts';
import { projectFolder } from '../workspace.ts';
import { type Certificate, selfMadeCertificate } from './certificate.ts';

export const host = 'mirror.example.com';

/** A real proxy that runs what ops/ holds for it. */
export interface TlsProxy {
  readonly port: number;
  readonly ca: string;
  /** Ends it as it is ended in life, and removes what it wrote. */
  stop(): Promise<void>;
}

interface Place extends Certificate {
  readonly folder: string;
  readonly port: number;
  readonly upstream: number;
}

type Replacements = Readonly<Record<string, string>>;

/** How each of them is told where to listen, whom to call and what to show, and how it says that it listens. */
const kinds = {
  nginx: {
    file: 'ops/nginx.conf',
    replaced: ({ port, upstream, certificate, key }: Place): Replacements => ({
      'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
      '127.0.0.1:3000': `127.0.0.1:${upstream}`,
      '/etc/ssl/campaign-mirror.pem': certificate,
      '/etc/ssl/private/campaign-mirror.key': key,
    }),
    run: async ({ folder }: Place, config: string) => {
      await writeFile(join(folder, 'campaign-mirror.conf'), config);
      await writeFile(join(folder, 'nginx.conf'), aroundNginx(folder));
      return start(program('nginx'), ['-p', folder, '-c', join(folder, 'nginx.conf')], {});
    },
    listens: 'using the "',
    stop: 'SIGQUIT',
  },
  caddy: {
    file: 'ops/Caddyfile',
    replaced: ({ port, upstream, certificate, key }: Place): Replacements => ({
      'auto_https disable_redirects': 'auto_https disable_redirects\n\tadmin off',
      [`{$MIRROR_SITE:${host}} {`]: `https://${host}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
      '{$MIRROR_UPSTREAM:127.0.0.1} 3000': `127.0.0.1 ${upstream}`,
    }),
    run: async ({ folder }: Place, config: string) => {
      const file = join(folder, 'Caddyfile');
      await writeFile(file, config);
      const own = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
      return start(program('caddy'), ['run', '--adapter', 'caddyfile', '--config', file], own);
    },
    listens: 'serving initial configuration',
    stop: 'SIGTERM',
  },
} as const;

type ProxyName = keyof typeof kinds;
export const proxyNames = Object.keys(kinds) as ProxyName[];

/** Starts a proxy in front of what listens on `upstream`. `more`: what else stands otherwise in its file. */
export async function tlsProxy(
  name: ProxyName,
  upstream: number,
  more: Replacements = {},
): Promise<TlsProxy> {
  const kind = kinds[name];
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-proxy-'));
  const place = { folder, upstream, port: await freePort(), ...(await selfMadeCertificate(folder, host)) };
  const text = await readFile(`${projectFolder}${kind.file}`, 'utf8');
  const process: RunningProcess = await kind.run(place, replaced(text, { ...kind.replaced(place), ...more }));
  await process.says(() => process.errors.includes(kind.listens) || undefined);
  const stop = async () => {
    await process.stop(kind.stop);
    await rm(folder, { recursive: true, force: true });
  };
  return { port: place.port, ca: place.ca, stop };
}

/** Each of them once: a file that no longer has it would be tested for something else. */
function replaced(text: string, replacements: Replacements): string {
  return Object.entries(replacements).reduce((before, [from, to]) => {
    if (before.split(from).length !== 2) throw new Error(`'${from}' is not there once`);
    return before.replace(from, () => to);
  }, text);
}

/** As /etc/nginx/nginx.conf of Debian has it around conf.d, in a folder of its own and in one process. */
function aroundNginx(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  return `user ${userInfo().username}; daemon off; master_process off; pid ${folder}/pid; error_log stderr notice;
events {}
http { access_log off; ${temporary} include ${folder}/campaign-mirror.conf; }
`;
}
