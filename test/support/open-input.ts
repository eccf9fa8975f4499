import { spawn } from 'node:child_process';
import { environment, projectFolder, RunningProcess, untilTheEnd } from './service-process.ts';

/** A command whose standard input is what the test writes, and stays open until the test ends it. */
export class Fed extends RunningProcess {
  feed(text: string | Buffer): void {
    this.child.stdin?.write(text);
  }

  end(): void {
    this.child.stdin?.end();
  }
}

export function fedCommand(args: readonly string[], settings: Record<string, string>): Fed {
  const env = environment(settings);
  const child = spawn(`${projectFolder}campaign-mirror`, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {});
  untilTheEnd(child);
  return new Fed(child);
}
