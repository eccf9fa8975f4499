/** `1 row`, `2 rows`: how many there are of something, in words. */
export function counted(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}
