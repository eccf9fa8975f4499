import { type Setting, settings } from './settings.ts';

const all = Object.entries<Setting>(settings);

/** For `--help`. */
export function settingsHelp(): string {
  const rows = all.flatMap(([name, one]) => [
    `  ${name}  (${accepts(one)}${one.byDefault ? `; default ${one.byDefault}` : ''})`,
    ...wrapped(one.means.replaceAll('`', ''), 74).map((line) => `      ${line}`),
  ]);
  return `Settings, as environment variables; all are optional:\n\n${rows.join('\n')}\n\n${ofSecrets}\n`;
}

/** For `.env.example`. */
export function environmentExample(): string {
  const rows = all.flatMap(([name, one]) => [
    '',
    ...wrapped(`${one.means.replaceAll('`', '')} (${accepts(one)})`, 98).map((line) => `# ${line}`),
    `#${name}=${one.byDefault ?? ''}`,
  ]);
  return `# Every setting of Campaign Mirror, with its default. Remove the # before a name to set it.
# Such a file is read by systemd (EnvironmentFile=) and by docker (--env-file).
# ${ofSecrets}
# Made by: ./campaign-mirror config --example
${rows.join('\n')}
`;
}

const ofSecrets = 'A secret may be in a file instead, which NAME_FILE names.';

/** In words, such as `whole number: 0 to 65535, secret`. */
export function accepts({ accepts: { type, range }, secret }: Setting): string {
  return [[type, range].filter(Boolean).join(': '), secret && 'secret'].filter(Boolean).join(', ');
}

function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
