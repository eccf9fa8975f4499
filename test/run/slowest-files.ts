import Mocha from 'mocha';
import { projectFolder } from '../support/workspace.ts';

const { EVENT_TEST_END, EVENT_HOOK_END } = Mocha.Runner.constants;
const shown = 10;

/** Mocha's own reporter, and before its last lines the files that took longest. */
export default class SlowestFiles extends Mocha.reporters.Spec {
  readonly #milliseconds = new Map<string, number>();

  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    for (const event of [EVENT_TEST_END, EVENT_HOOK_END])
      runner.on(event, ({ file, duration = 0 }: Mocha.Runnable) => {
        if (file) this.#milliseconds.set(file, (this.#milliseconds.get(file) ?? 0) + duration);
      });
  }

  /** A run without a test is a slip: of the words to look for, as a rule. */
  override done(failures: number, end: (failures: number) => void): void {
    if (this.stats.tests === 0) console.log('  no test has this name');
    end(this.stats.tests === 0 ? 1 : failures);
  }

  override epilogue(): void {
    const files = [...this.#milliseconds].sort(([, one], [, other]) => other - one).slice(0, shown);
    console.log('  The slowest files, in seconds:');
    for (const [file, milliseconds] of files)
      console.log(`${(milliseconds / 1000).toFixed(1).padStart(8)}  ${file.replace(projectFolder, '')}`);
    super.epilogue();
  }
}
