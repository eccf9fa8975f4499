import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Cleanup } from '../processes/cleanup.ts';
import { type Figures, sideBySide } from './side-by-side.ts';

const lines = 300_000;
const seconds = 15;

const notes = `${lines} lines of 300 bytes within ${seconds} s, to a reader that pauses for 2 s after the first line and then reads as fast as
it can: wc, or a program of Node. The writer's end waits until all that it keeps is written. CPU is its user and system time.
blocking: a thread of the writer waits in write(2), as the shell makes the pipe; the others write to one that does not block.`;

const readers: Readonly<Record<string, string>> = {
  wc: 'wc -l',
  Node: `"$0" -e 'let lines = 0;
    process.stdin.on("data", (bytes) => { lines += String(bytes).split("\\n").length - 1; });
    process.stdin.on("end", () => console.log(lines));'`,
};
const outputs = ['ours', 'sonic-boom', 'sonic-boom blocking'];
const pairs = Object.keys(readers).flatMap((reader) => outputs.map((output) => `${output} to ${reader}`));

/** How many lines are lost, and what it costs to write the others. */
export async function logOutputTable(rounds: number, cleanup: Cleanup): Promise<string> {
  return `${await sideBySide(pairs, rounds, (pair) => measure(pair, cleanup))}\n\n${notes}`;
}

async function measure(pair: string, cleanup: Cleanup): Promise<Figures> {
  const [output = '', reader = ''] = pair.split(' to ');
  // The shell connects them by a pipe: Node would make a socket.
  const script = `"$0" "$@" | { read -r line; sleep 2; ${readers[reader]}; }`;
  const writer = [`${import.meta.dirname}/log-writer.ts`, output, String(lines), String(seconds)];
  const child = spawn('sh', ['-c', script, process.execPath, ...writer], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    detached: true,
  });
  const forget = cleanup.add(async () => process.kill(-(child.pid as number)));
  const [read, cpu] = await Promise.all([
    text(child.stdout as Readable),
    text(child.stdio[3] as Readable),
    once(child, 'close'),
  ]);
  forget();
  if (cpu === '') throw new Error(`the writer by ${output} failed`);
  return { 'lines lost': lines - 1 - Number(read), 'CPU ms': Number(cpu) };
}
