import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { setInterval } from 'node:timers/promises';
import library from 'sonic-boom';
import { LogLines } from '../../packages/app/src/logging/log-lines.ts';
import { standardOutlet } from '../../packages/app/src/logging/log-outlets.ts';
import { LogOutput } from '../../packages/app/src/logging/log-output.ts';

// Writes lines of the log to standard output, and what CPU time that took to the descriptor 3.
const [, , output = '', count, seconds] = process.argv;
const longestEnd = 60_000;

function ours() {
  const opened = new LogOutput(standardOutlet(), { onLost() {}, onRefused: console.error });
  return { write: (text: string) => opened.write(text), end: () => opened.end(longestEnd) };
}

/** With the bounds of ours. */
function sonicBoom(blocking: boolean) {
  // The service asks whether it is a terminal: from then on Node does not let it block.
  if (!blocking) void process.stdout.isTTY;
  const opened = new library.SonicBoom({ fd: 1, sync: false, maxLength: 16_777_216, maxWrite: 65_536 });
  const closed = once(opened, 'close');
  const end = () => {
    opened.end();
    return closed;
  };
  return { write: (text: string) => opened.write(text), end };
}

const { write, end } = output === 'ours' ? ours() : sonicBoom(output === 'sonic-boom blocking');
const lines = new LogLines({ write });
const line = `${'x'.repeat(299)}\n`;
const before = process.cpuUsage();
const begun = performance.now();
let written = 0;
for await (const _ of setInterval(10)) {
  const passed = (performance.now() - begun) / 1000 / Number(seconds);
  for (; written < Math.min(passed, 1) * Number(count); written++) lines.add(line);
  if (passed >= 1) break;
}
lines.flush();
await end();
const { user, system } = process.cpuUsage(before);
writeSync(3, String((user + system) / 1000));
