import { globSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { emptyDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { isAnswer } from '../support/documents/blocks.ts';
import { Sandbox } from '../support/embedded/embedded-sandbox.ts';
import { oldTools } from '../support/embedded/old-tools.ts';
import { rejection } from '../support/faults.ts';
import { projectFolder } from '../support/workspace.ts';
import { Consumer, type Tools, versionOf } from './consumer.ts';
import { type Packed, packed } from './packed.ts';

const named = '/tmp/embedded-example';

describe('the packages in an empty project', function () {
  this.timeout(120_000);
  const sandbox = new Sandbox();
  let all: readonly Packed[];
  let database: TestDatabase;
  let consumers: Record<Tools['manager'], Consumer>;
  before('installs', async () => {
    all = await packed();
    database = await emptyDatabase('owner');
    const [npm, pnpm] = await Promise.all(
      [oldest, newest].map(async (tools) => Consumer.install(await tools())),
    );
    consumers = { npm, pnpm } as typeof consumers;
  });
  after(() => sandbox.clean());

  /** The oldest that the packages claim, with npm 10. */
  const oldest = async (): Promise<Tools> => {
    const [, node = ''] = /^\^(\d+\.\d+\.\d+) /.exec(all[0]?.manifest.engines.node ?? '') ?? [];
    const bin = await oldTools(await mkdtemp(join(tmpdir(), 'node-')), node);
    expect(versionOf(bin)).to.equal(`v${node}`);
    return { manager: 'npm', bin, typescript: '5.9.3', skipLibCheck: true, versions: { koa: '3.1.2' } };
  };
  const newest = async (): Promise<Tools> => ({
    manager: 'pnpm',
    bin: join(projectFolder, 'node_modules/.bin'),
    typescript: '7.0.2',
    skipLibCheck: false,
  });

  for (const [how, manager] of [
    ['by npm, on the oldest Node, with TypeScript 5 and the oldest koa', 'npm'],
    ['by pnpm, on the newest Node, with TypeScript 7', 'pnpm'],
  ] as const)
    describe(how, () => {
      let consumer: Consumer;
      before(() => {
        consumer = consumers[manager];
      });

      it('the examples and the declarations that they use have no error', async () => {
        const folder = await sandbox.folder();
        for (const { manifest } of all) {
          const { text } = await consumer.example(manifest.name);
          expect(text.split('\n').length, manifest.name).to.be.at.most(40);
          const here = text.replace(named, folder);
          await consumer.write(`${fileOf(manifest.name)}.ts`, here);
        }
        await consumer.write(
          'planted.ts',
          `import { campaignId } from '@campaign-mirror/domain';\ncampaignId(7);\n`,
        );
        const errors = await consumer.compile();
        expect(errors).to.have.lengthOf(1);
        expect(errors[0]).to.match(/^planted\.ts\(2,12\): error TS2345/);
      });

      for (const name of [
        'domain',
        'adapters-http',
        'adapters-jwt',
        'adapters-persistence',
        'adapters-cli',
        'embedded-postgres',
      ])
        it(`the example of ${name} prints what its README says`, async () => {
          const { host, port, user, password } = database.address('owner') as unknown as Record<
            string,
            string
          >;
          const variables = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password };
          const { answer } = await consumer.example(`@campaign-mirror/${name}`);
          const file = `out/${name}.js`;
          const printed = await consumer.node([file], { ...variables, PGDATABASE: database.name } as Record<
            string,
            string
          >);
          if (!isAnswer(answer, printed)) expect(printed).to.equal(answer.text);
        });

      for (const path of globSync('examples/*/*.test.ts', { cwd: projectFolder }))
        it(`${path} passes`, () => consumer.node(['--test', path], { DATABASE_URL: database.url('owner') }));

      it('an error shows the line of the source', async () => {
        const program = `(await import('@campaign-mirror/domain')).accessKeyFrom(new Uint8Array(1))`;
        const words = ['--enable-source-maps', '--input-type=module', '--eval', program];
        expect(String(await rejection(consumer.node(words)))).to.match(
          /RangeError: an access key takes 32 bytes\n.+\/domain\/src\/values\/access-key\.ts:\d+:\d+/,
        );
      });

      it('nothing but the entries can be imported', async () => {
        const program = `await import('@campaign-mirror/domain/dist/index.js')`;
        const error = await rejection(consumer.node(['--input-type=module', '--eval', program]));
        expect(String(error)).to.include('ERR_PACKAGE_PATH_NOT_EXPORTED');
      });
    });
});

const fileOf = (name: string) => name.slice(name.indexOf('/') + 1);
