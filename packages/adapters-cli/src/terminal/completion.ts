import { Argument, type CommandUnknownOpts, type Option } from '@commander-js/extra-typings';
import type { Call } from './call.ts';
import { leaf } from './leaf.ts';

/** `all` returns the commands to complete. */
export function completion(call: Call, all: () => Promise<CommandUnknownOpts>) {
  return leaf({
    name: 'completion',
    does: 'print a script with which a shell completes these commands',
    examples: ['completion bash', 'completion zsh'],
  })
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
 * presses Tab. Where no command word is possible, files are offered.
 */
export const scripts = {
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
 * Parses the words before the cursor: `at` is the command, `last` an option that still needs its value. Then offers
 * that option's values if they are a fixed set; after a dash, options; otherwise commands, or an argument's values.
 */
function choicesOf(root: CommandUnknownOpts): string {
  const places = placesBelow(root);
  const valued = places.flatMap(({ at, options }) =>
    options.filter(({ required, optional }) => required || optional).map(({ long }) => `'${at} ${long}'`),
  );
  const offered = places.flatMap(({ at, options, words }) => [
    [`${at} `, words] as const,
    [`${at} -`, options.map(({ long }) => long)] as const,
    ...options.map(({ long, argChoices = [] }) => [`${at} ${long}`, argChoices] as const),
  ]);
  return `    if [[ -n $last && $word != '=' ]]; then last=''; continue; fi
    case "$at $word" in
      ${valued.join('|')}) last=$word;;
    esac
    case $at/$word in
      ${places.map(({ at }) => `'${at}'`).join('|')}) at=$at/$word;;
    esac
  done
  if [[ -z $last && $cur == -* ]]; then last=-; fi
  case "$at $last" in
${offered.map(([is, words]) => `    '${is}') choices='${words.join(' ')}';;`).join('\n')}
  esac`;
}

interface Place {
  /** Such as `/campaign/create`. */
  readonly at: string;
  readonly options: readonly Option[];
  /** Its subcommands, or the values of its first argument if they are a fixed set. */
  readonly words: readonly string[];
}

function placesBelow(command: CommandUnknownOpts, at = ''): Place[] {
  const below = command.commands.map((child) => child.name());
  const words = [...below, ...(command.registeredArguments[0]?.argChoices ?? [])];
  const options = command.createHelp().visibleOptions(command);
  const further = command.commands.flatMap((child) => placesBelow(child, `${at}/${child.name()}`));
  return [{ at, options, words }, ...further];
}
