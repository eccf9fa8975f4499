import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { leaf } from './arguments.ts';
import type { Call } from './call.ts';

/** `all` returns the commands to complete. */
export function completion(call: Call, all: () => Promise<CommandUnknownOpts>) {
  return leaf('completion', 'print a script with which a shell completes these commands', [
    'completion bash',
    'completion zsh',
  ])
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh']))
    .addHelpText(
      'before',
      'In ~/.bashrc: eval "$(campaign-mirror completion bash)"; in ~/.zshrc the same, after compinit.\n',
    )
    .action(async (shell, { json }) => {
      const script = scripts[shell](await all());
      await call.output.answer(json, { shell, script }, script);
    });
}

/**
 * A script for each shell, generated from the commands. It is self-contained: no program is started when the user
 * presses Tab. If no word is possible, the shell offers files.
 */
const scripts = {
  bash: (root: CommandUnknownOpts) => `_campaign_mirror() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at='' last='' word choices=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${choicesOf(root)}
  COMPREPLY=($(compgen -W "$choices" -- "$cur"))
}
complete -o bashdefault -o default -F _campaign_mirror campaign-mirror`,

  zsh: (root: CommandUnknownOpts) => `#compdef campaign-mirror
_campaign_mirror() {
  local cur=\${words[CURRENT]} at='' last='' word choices=''
  for word in "\${(@)words[2,CURRENT-1]}"; do
${choicesOf(root)}
  if [[ -n $choices ]]; then compadd -- \${=choices}; else _files; fi
}
compdef _campaign_mirror campaign-mirror`,
};

/**
 * The part that both shells have in common. It parses the words before the cursor: `at` is the command, such as
 * `/campaign/create`; `last` is an option that still needs its value. Then it chooses what to offer: options after a dash;
 * otherwise commands, or the values of an argument if they are a fixed set.
 */
function choicesOf(root: CommandUnknownOpts): string {
  const commands: string[] = [];
  const optionsWithValue: string[] = [];
  const choices: string[] = [];
  const visit = (command: CommandUnknownOpts, at: string) => {
    const options = command.createHelp().visibleOptions(command);
    const names = command.commands.map((child) => child.name());
    const words = [...names, ...(command.registeredArguments[0]?.argChoices ?? [])];
    for (const { long, required } of options) {
      if (required) optionsWithValue.push(`'${at} ${long}'`);
    }
    if (words.length > 0) choices.push(`    '${at} ') choices='${words.join(' ')}';;`);
    choices.push(`    '${at} -') choices='${options.map(({ long }) => long).join(' ')}';;`);
    for (const child of command.commands) {
      commands.push(`'${at}/${child.name()}'`);
      visit(child, `${at}/${child.name()}`);
    }
  };
  visit(root, '');
  return `    if [[ -n $last && $word != '=' ]]; then last=''; continue; fi
    case "$at $word" in
      ${optionsWithValue.join('|')}) last=$word;;
    esac
    case $at/$word in
      ${commands.join('|')}) at=$at/$word;;
    esac
  done
  if [[ -z $last && $cur == -* ]]; then last=-; fi
  case "$at $last" in
${choices.join('\n')}
  esac`;
}
