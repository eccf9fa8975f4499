import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Call } from './call.ts';
import { type Shell, shells } from './completion-script.ts';
import { leaf } from './leaf.ts';

/** `all` returns the commands to complete. */
export function completion(call: Call, all: () => Promise<CommandUnknownOpts>) {
  return leaf({
    name: 'completion',
    does: 'print a script with which a shell completes these commands',
    examples: ['completion bash', 'completion zsh'],
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells) as [Shell, ...Shell[]]))
    .addHelpText(
      'before',
      'In ~/.bashrc: eval "$(campaign-mirror completion bash)"; in ~/.zshrc the same, after compinit.\n',
    )
    .action(async (shell, { json }) => {
      const script = shells[shell](await all());
      await call.output.answer(json, { shell, script }, script);
    });
}
