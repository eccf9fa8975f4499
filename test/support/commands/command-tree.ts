import { PassThrough } from 'node:stream';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { Call as OneCall } from '../../../packages/adapters-cli/src/terminal/call.ts';
import { program } from '../../../packages/app/src/command-line/program.ts';

/** A command that does something, and how it is called. */
export interface Call {
  readonly words: readonly string[];
  readonly command: CommandUnknownOpts;
}

const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };

export const tree: CommandUnknownOpts = await program(
  new OneCall({ environment: {}, ...streams, signal: new AbortController().signal }),
);

/** Every command that does something, in the order of the help. */
export function calls(root = tree, words: readonly string[] = []): Call[] {
  if (root.commands.length === 0) return [{ words, command: root }];
  return root.commands.flatMap((child) => calls(child, [...words, child.name()]));
}

/** Options that every command has: they are described once. */
const everywhere = new Set(['--json', '--verbose', '--help', '--version']);

/** Its words, arguments and options, as README.md shows them. */
export function usage({ words, command: { registeredArguments, options } }: Call): string {
  const given = registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
  const chosen = options
    .filter((one) => !one.hidden && !everywhere.has(one.long ?? ''))
    .map((one) => (one.mandatory ? one.flags : `[${one.flags}]`));
  return [...words, ...given, ...chosen].join(' ').replaceAll('|', '\\|');
}
