import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  type Account,
  accountOf,
  type Block,
  blocksOf,
  isAnswer,
  isRun,
  unaccounted,
} from '../support/documents/readme.ts';
import { ReadmeRuns } from '../support/documents/readme-runs.ts';
import { rejection } from '../support/faults.ts';
import { projectFolder } from '../support/workspace.ts';

const file = `${projectFolder}README.md`;
const readme = existsSync(file) ? readFileSync(file, 'utf8') : '';
const { scripts } = JSON.parse(readFileSync(`${projectFolder}package.json`, 'utf8'));

describe('README.md', () => {
  let runs: ReadmeRuns;
  before(() => {
    runs = new ReadmeRuns();
  });
  after(() => runs.close());

  it('every block is run or accounted for', () => {
    expect(blocksOf(readme)).not.to.have.length(0);
    expect(unaccounted(readme, Object.keys(scripts))).to.deep.equal([]);
  });

  const blocks = blocksOf(readme);
  for (const [at, block] of blocks.entries()) {
    const account = accountOf(block);
    if (account && isRun(account)) {
      it(`line ${block.line}: ${block.marker}`, async () => {
        const output = await runs.run(block, account);
        compare(output, blocks[at + 1], block.language === 'sql');
      });
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
