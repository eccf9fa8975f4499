// `npm run pack [FOLDER]`: builds the packages for use elsewhere, and writes their tarballs into FOLDER (`packed`).
// Nothing is published. The manifests in the tarballs are not `private`, see `packing.mjs`.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const [into = 'packed', ...more] = process.argv.slice(2);
if (into === '' || into.startsWith('-') || more.length > 0) {
  const isAsked = ['--help', '-h'].includes(into) && more.length === 0;
  console[isAsked ? 'log' : 'error'](
    'Usage: npm run pack [FOLDER]\n\nWrites the tarballs into FOLDER: packed by default.',
  );
  process.exit(isAsked ? 0 : 2);
}
const folder = resolve(into);
const packages = globSync('packages/*/package.json')
  .map((path) => JSON.parse(readFileSync(path, 'utf8')))
  .filter(({ publishConfig }) => publishConfig);
const folders = packages.map(({ name }) => join('packages', name.split('/')[1]));

execFileSync('node_modules/.bin/tsc', ['-b', '--force', ...folders], { stdio: 'inherit' });
// Removes files whose source is gone.
for (const path of globSync('packages/*/dist/**/*.{js,d.ts,map}')) {
  const source = path.replace('/dist/', '/src/').replace(/(\.js|\.d\.ts)(\.map)?$/, '.ts');
  if (!existsSync(source)) rmSync(path);
}

mkdirSync(folder, { recursive: true });
// The folder may have other files: only older tarballs are removed.
for (const old of globSync('campaign-mirror-*.tgz', { cwd: folder })) rmSync(join(folder, old));
const filters = packages.map(({ name }) => `--filter=${name}`);
const words = [...filters, 'pack', '--pack-destination', folder];
execFileSync('node_modules/.cache/pnpm/node_modules/pnpm/pnpm', words, {
  env: { ...process.env, pnpm_config_pnpmfile: resolve('ops/packing.mjs') },
  stdio: ['ignore', 'ignore', 'inherit'],
});
for (const { name, version } of packages) {
  console.log(join(folder, `${name.slice(1).replace('/', '-')}-${version}.tgz`));
}
