import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BlockRuns } from '../support/documents/block-runs.ts';
import { blocksOf, isAnswer } from '../support/documents/blocks.ts';
import { rejection } from '../support/faults.ts';
import { projectFolder } from '../support/workspace.ts';

const all = globSync(['*.md', 'docs/**/*.md'], { cwd: projectFolder, exclude: ['docs/reference/api/**'] });
/** Others use the database that this one makes, and the variables of those before them. */
const paths = new Set(['docs/how-to/own-postgresql.md', ...all.sort()]);

describe('the blocks of the documents that are marked `run`', () => {
  let runs: BlockRuns;
  before(() => {
    runs = new BlockRuns();
  });
  after(() => runs.close());

  for (const path of paths) {
    const blocks = blocksOf(readFileSync(`${projectFolder}${path}`, 'utf8'));
    for (const [at, block] of blocks.entries()) {
      if (!block.marker.startsWith('run: ')) continue;
      it(`${path}:${block.line} ${block.marker}`, async () => {
        const output = await runs.run(block);
        const answer = blocks[at + 1];
        if (answer?.marker !== 'answers' || isAnswer(answer, output)) return;
        expect(output, `line ${answer.line}`).to.equal(answer.text);
      });
    }
  }

  it('one that is wrong fails', async () => {
    for (const [marker, language, text, why] of [
      ['run: service', 'sh', 'curl -sSf http://127.0.0.1:3000/absent; echo no', '404'],
      ['run: database', 'sql', 'select 1 from absent;', 'does not exist'],
      ['run: ts', 'ts', 'export const x: string = 1;', 'block.ts(1,14)'],
      ['run: ts', 'ts', "throw new Error('planted');", 'planted'],
    ] as const) {
      const fault = await rejection(runs.run({ line: 1, marker, language, text }));
      expect(String(fault), text).to.include(why);
    }
  });
});
