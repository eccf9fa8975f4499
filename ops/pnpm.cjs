// pnpm, by a hash that is kept here: `node ops/pnpm.cjs FOLDER` writes into FOLDER what `npm ci --prefix FOLDER` installs.
// Then its program is FOLDER/node_modules/pnpm/pnpm; FOLDER is node_modules/.cache/pnpm, unless it is named.
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const version = '12.21.0';
// With a new version: npm view @pnpm/exe.linux-x64@VERSION dist.integrity. For macOS there is only the registry's own.
const hashes = {
  'linux-arm64':
    'sha512-4Oj/iF2TDCe2lcH0n4TupPR5sSdrNLclJB6xBElLMPCUOAvBhdf2rRlSaO5M4erJ6g4Fyy7YTXTpcmfFsKyxEA==',
  'linux-x64':
    'sha512-8eufCjHXspKbNS/kh8q4Q0gqJoOuvC4Q5pgos6XS8By/nAMtP+jf8F1Cw9er840kfAX+PJ/ts+A9qnLE91rvXQ==',
};

const machine = `${process.platform}-${process.arch}`;
const name = `@pnpm/exe.${machine}`;
const folder = process.argv[2] || join(__dirname, '..', 'node_modules', '.cache', 'pnpm');
const root = { dependencies: { pnpm: `npm:${name}@${version}` } };
const packages = { '': root, 'node_modules/pnpm': { name, version, integrity: hashes[machine] } };
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...root }));
writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
