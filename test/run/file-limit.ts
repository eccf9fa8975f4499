import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tell } from '../support/run-folder.ts';

/** Names the folder in which each process that runs files notes which one it is at. */
export const variable = 'TEST_RUN_NOTES';

/** How long a file may take, in seconds: mocha ends a test that waits for ever, but not one that never lets go. */
const { TEST_FILE_LIMIT: limit = '300' } = process.env;
const between = 1000;

/** Only of a process beside others: one alone may be stopped in a debugger. */
export function noteFile(file: string): void {
  const { [variable]: folder, MOCHA_WORKER_ID: worker } = process.env;
  if (folder && worker) writeFileSync(join(folder, String(process.pid)), file);
}

/** Ends the process of a file that takes too long; mocha counts it as failed, and gives the next one to another. */
export function limitFiles(folder: string): { stop(): void } {
  const timer = setInterval(() => {
    for (const process of readdirSync(folder)) {
      const note = join(folder, process);
      if (readFileSync(note, 'utf8') === '' || Date.now() - statSync(note).mtimeMs < Number(limit) * 1000)
        continue;
      if (tell(Number(process), 'SIGKILL'))
        console.error(`${readFileSync(note, 'utf8')} took more than ${limit} s: ended`);
      writeFileSync(note, '');
    }
  }, between);
  return { stop: () => clearInterval(timer) };
}
