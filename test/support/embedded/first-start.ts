/** What the first start prints for a newcomer to paste. */
export function printed(output: string) {
  const [good, ...others] = output.split('\n').filter((line) => line.startsWith('curl '));
  const key = /Bearer (\S+)'/.exec(good ?? '')?.[1] ?? '';
  const campaign = Number(/campaign\/(\d+)\//.exec(good ?? '')?.[1]);
  return { good: good ?? '', others, key, campaign };
}
