// pnpm, with its hashes: `node ops/pnpm.cjs FOLDER` writes the manifest and the lock file for `npm ci --prefix FOLDER`,
// which installs FOLDER/node_modules/pnpm/pnpm. The default of FOLDER is node_modules/.cache/pnpm.
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

// The version, and its SHA-512 for each machine: npm view @pnpm/exe.linux-x64@VERSION dist.integrity. This version adds
// the compiler to the shipped packages, because it is an optional peer of valibot: remove that peer from a new
// pnpm-lock.yaml (`valibot@1.5.0: {}`, and `1.5.0` in the package); the test of `npm run sbom` checks it.
const version = '12.4.2';
const chosen = {
  'darwin-arm64':
    'sha512-A0WDo8iErfZBXgrLseQxw8i8Y9ctUpOEl/Uu+cubnTzpD8tT9ykIB548L8YTM2WD4OS+ZOHSxy8aGZcvKq8PaQ==',
  'darwin-x64':
    'sha512-MSgJdovBWHcb5DEOvfPH9yNi/T5O1Xa4ess+E1ESGo/5yuty7S4JoiIjami+fsNXfnoQMlwsMUqYU4zAvBcNCw==',
  'linux-arm64':
    'sha512-2dSiDXyhx+RTHsewxex8f/jVjqQXWJ2oow4kCVHEWdZKeBpgMxvZ6fHkTAUBJXgqhbKIDHvuNlZBP7gJfUWL5A==',
  'linux-x64':
    'sha512-/pbt0UVTa8NMDhzOWLQRfZ6G9ROKXlJPZtx845BqyWfc7hCrWXhTLBd70yO2y8+E+IWN3oHM1s/JsIQNGk1yvg==',
};

const machine = `${process.platform}-${process.arch}`;
if (!chosen[machine]) {
  process.stderr.write(
    `campaign-mirror: This is ${machine}: Linux or macOS on x64 or arm64 is needed. Nothing was installed.\n`,
  );
  process.exit(1);
}
const integrity = chosen[machine];
const name = `@pnpm/exe.${machine}`;
const folder = process.argv[2] || join(__dirname, '..', 'node_modules', '.cache', 'pnpm');
const root = { dependencies: { pnpm: `npm:${name}@${version}` } };
const packages = { '': root, 'node_modules/pnpm': { name, version, integrity } };
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...root }));
writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
