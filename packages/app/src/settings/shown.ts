import { type Setting, settings } from './settings.ts';

const ofSecrets = 'A secret may be in a file instead, which NAME_FILE names.';

/** For `--help`. */
export function settingsHelp(): string {
  const rows = Object.entries(settings).map(([name, one]) => {
    const byDefault = one.byDefault ? `; default ${one.byDefault}` : '';
    return `  ${name}\n${wrapped(`${one.means} (${accepts(one)}${byDefault})`, 74, '      ')}`;
  });
  return `Settings, as environment variables; all are optional:\n\n${rows.join('\n')}\n\n${ofSecrets}\n`;
}

/** For `.env.example`. */
export function environmentExample(): string {
  const rows = Object.entries(settings).map(
    ([name, one]) => `
${wrapped(`${one.means} (${accepts(one)})`, 98, '# ')}
#${name}=${one.byDefault ?? ''}
`,
  );
  return `# Every setting of Campaign Mirror, with its default. Remove the # before a name to set it.
# Such a file is read by systemd (EnvironmentFile=) and by docker (--env-file).
# ${ofSecrets}
# Made by: ./campaign-mirror config --example
${rows.join('')}`;
}

/** In words, such as `a whole number from 0 to 65535`. */
export function accepts({ accepts, secret }: Setting): string {
  return secret ? `${accepts}; secret` : accepts;
}

/** For people: a URL without its password, and without its query, which may hold one. */
export function shownUrl(url: string): string {
  return url.replace(/[?#].*/, '?…').replace(/^([^:]+:\/\/[^:]*:)[^/]*@/, '$1…@');
}

function wrapped(text: string, width: number, margin: string): string {
  const lines = text.replaceAll('`', '').matchAll(new RegExp(`(.{1,${width}})(?: |$)`, 'g'));
  return Array.from(lines, ([, line]) => `${margin}${line}`).join('\n');
}
