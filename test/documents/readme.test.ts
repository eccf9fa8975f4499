import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  accountOf,
  type Block,
  blocksOf,
  isAnswer,
  isRun,
  linkedFiles,
  otherThanFiles,
  settingsTable,
  shownSettings,
  unaccounted,
  unknownCalls,
} from '../support/readme.ts';
import { ReadmeRuns } from '../support/readme-runs.ts';
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

  it('names scripts, commands and files that there are', () => {
    expect(unknownCalls(readme, Object.keys(scripts))).to.deep.equal([]);
    expect(linkedFiles(readme).filter((path) => !existsSync(`${projectFolder}${path}`))).to.deep.equal([]);
  });

  it('shows files as they are', () => {
    expect(otherThanFiles(readme, (path) => readFileSync(`${projectFolder}${path}`, 'utf8'))).to.deep.equal(
      [],
    );
  });

  it('shows the settings as they are', () => {
    const table = settingsTable();
    if (shownSettings(readme) !== table) console.log(`The table of the settings is:\n\n${table}\n`);
    expect(shownSettings(readme)).to.equal(table);
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
});

function compare(output: string, answer: Block | undefined, rows: boolean): void {
  if (!answer || accountOf(answer)?.kind !== 'answers') return;
  if (!isAnswer(answer, output, rows)) expect(output, `line ${answer.line}`).to.equal(answer.text);
}
