import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BlockRuns } from '../support/documents/block-runs.ts';
import {
  type Account,
  accountOf,
  type Block,
  blocksOf,
  isAnswer,
  isRun,
  unaccounted,
} from '../support/documents/blocks.ts';
import { rejection } from '../support/faults.ts';
import { projectFolder } from '../support/workspace.ts';

/** Their blocks are run by tests of their own. */
const withOwnTest = [
  'docs/runbook.md',
  'docs/how-to/backup-and-restore.md',
  'docs/how-to/call-from-a-script.md',
  'docs/how-to/deploy-with-systemd.md',
  'docs/how-to/trace-requests.md',
];
const paths = globSync(['*.md', 'docs/**/*.md'], { cwd: projectFolder, exclude: ['docs/reference/api/**'] })
  .filter((path) => !withOwnTest.includes(path))
  .sort();
const { scripts } = JSON.parse(readFileSync(`${projectFolder}package.json`, 'utf8'));

describe('the blocks of the documents', () => {
  let runs: BlockRuns;
  before(() => {
    runs = new BlockRuns();
  });
  after(() => runs.close());

  it('there are documents with blocks', () => {
    expect(paths).to.include.members(['README.md', 'docs/tutorial/first-campaign.md']);
  });

  for (const path of paths) {
    const text = readFileSync(`${projectFolder}${path}`, 'utf8');
    const blocks = blocksOf(text);

    it(`${path}: every block is run or accounted for`, () => {
      expect(unaccounted(text, Object.keys(scripts), path)).to.deep.equal([]);
    });

    for (const [at, block] of blocks.entries()) {
      const account = accountOf(block);
      if (account && isRun(account)) {
        it(`${path}:${block.line} ${block.marker}`, async () => {
          const output = await runs.run(block, account);
          compare(output, blocks[at + 1], block.language === 'sql');
        });
      }
    }
  }

  const fails: readonly (readonly [marker: string, language: string, text: string, why: string])[] = [
    ['run: service', 'sh', 'false; echo no', 'ended with 1'],
    ['run: service', 'sh', 'curl -sSf http://127.0.0.1:3000/absent', '404'],
    ['run: database', 'sql', 'select 1 from absent;', 'does not exist'],
    ['run: ts', 'ts', 'export const x: string = 1;', 'block.ts(1,14)'],
    ['run: ts', 'ts', "throw new Error('planted');", 'planted'],
  ];
  for (const [marker, language, text, why] of fails) {
    it(`a block fails where it should: ${text}`, async () => {
      const block = { line: 1, marker, language, text };
      const account = accountOf(block);
      expect(account && isRun(account)).to.equal(true);
      expect(String(await rejection(runs.run(block, account as Account)))).to.include(why);
    });
  }
});

function compare(output: string, answer: Block | undefined, rows: boolean): void {
  if (!answer || accountOf(answer)?.kind !== 'answers') return;
  if (!isAnswer(answer, output, rows)) expect(output, `line ${answer.line}`).to.equal(answer.text);
}
