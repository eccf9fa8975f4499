import type { CommandUnknownOpts } from '@commander-js/extra-typings';

export type Shell = 'bash' | 'zsh';

/**
 * A script for each shell, generated from the commands. It is self-contained: no program is started when the user
 * presses Tab. Where no command word is possible, files are offered.
 */
export const shells: Readonly<Record<Shell, (root: CommandUnknownOpts) => string>> = {
  bash: (root) => `_campaign_mirror() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at='' last='' word choices=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${walked(root)}
  done
${offered(root)}
  COMPREPLY=($(compgen -W "$choices" -- "$cur"))
}
complete -o bashdefault -o default -F _campaign_mirror campaign-mirror`,

  zsh: (root) => `#compdef campaign-mirror
_campaign_mirror() {
  local cur=\${words[CURRENT]} at='' last='' word choices=''
  for word in "\${(@)words[2,CURRENT-1]}"; do
${walked(root)}
  done
${offered(root)}
  if [[ -n $choices ]]; then compadd -- \${=choices}; else _files; fi
}
compdef _campaign_mirror campaign-mirror`,
};

/** Parses the words before the cursor: `at` is the command, `last` an option that still needs its value. */
function walked(root: CommandUnknownOpts): string {
  const all = places(root);
  const valued = all.flatMap(({ at, options }) =>
    options.filter((option) => option.valued).map(({ name }) => `'${at} ${name}'`),
  );
  const commands = all.slice(1).map(({ at }) => `'${at}'`);
  return `    if [[ -n $last && $word != '=' ]]; then last=''; continue; fi
    case "$at $word" in
      ${valued.join('|')}) last=$word;;
    esac
    case $at/$word in
      ${commands.join('|')}) at=$at/$word;;
    esac`;
}

/** The values of an option that has a fixed set; after a dash, options; otherwise commands, or an argument's values. */
function offered(root: CommandUnknownOpts): string {
  const all = places(root);
  const values = all.flatMap(({ at, options }) =>
    options.map(({ name, choices }) => [`${at} ${name}`, choices] as const),
  );
  const names = all.map(({ at, options }) => [at, options.map(({ name }) => name)] as const);
  const words = all.map(({ at, words }) => [at, words] as const);
  return `  if [[ -n $last ]]; then
${chosen('"$at $last"', values)}
  elif [[ $cur == -* ]]; then
${chosen('$at', names)}
  else
${chosen('$at', words)}
  fi`;
}

function chosen(
  subject: string,
  cases: readonly (readonly [is: string, words: readonly string[]])[],
): string {
  const some = cases.filter(([, words]) => words.length > 0);
  const lines = some.map(([is, words]) => `      '${is}') choices='${words.join(' ')}';;`);
  return [`    case ${subject} in`, ...lines, '    esac'].join('\n');
}

interface Place {
  /** Such as `/campaign/create`. */
  readonly at: string;
  readonly options: readonly Option[];
  /** Its subcommands, or the values of its first argument if they are a fixed set. */
  readonly words: readonly string[];
}

interface Option {
  readonly name: string;
  readonly valued: boolean;
  readonly choices: readonly string[];
}

function places(command: CommandUnknownOpts, at = ''): Place[] {
  const help = command.createHelp();
  const options = help
    .visibleOptions(command)
    .flatMap(({ long, required, optional, argChoices }) =>
      long ? [{ name: long, valued: required || optional, choices: argChoices ?? [] }] : [],
    );
  const below = command.commands.filter((child) => child.name() !== 'help');
  const words = below.map((child) => child.name());
  const choices = command.registeredArguments[0]?.argChoices ?? [];
  return [
    { at, options, words: [...words, ...choices] },
    ...below.flatMap((child) => places(child, `${at}/${child.name()}`)),
  ];
}
