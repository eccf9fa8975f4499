import { type Setting, settings } from './settings.ts';

/** For `.env.example` and `--help`. */
export function environmentExample(): string {
  const rows = Object.entries(settings).map(
    ([name, one]) => `
${wrapped(`${one.means} (${accepts(one)})`)}
#${name}=${one.byDefault ?? ''}
`,
  );
  return `# Every setting of Campaign Mirror, with its default. Remove the # before a name to set it.
# systemd (EnvironmentFile=), docker (--env-file) and the commands (ENVIRONMENT_FILE=) read it alike: one NAME=value
# a line, the value as it is, without quotes around it and without a backslash.
# A secret may be in a file instead, which NAME_FILE names.
# Made by: ./campaign-mirror config --example
${rows.join('')}`;
}

/** In words, such as `a whole number from 0 to 65535`. */
export function accepts({ accepts, secret }: Setting): string {
  return secret ? `${accepts}; secret` : accepts;
}

function wrapped(text: string): string {
  const lines = text.replaceAll('`', '').matchAll(/(.{1,98})(?: |$)/g);
  return Array.from(lines, ([, line]) => `# ${line}`).join('\n');
}
