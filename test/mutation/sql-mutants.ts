/** A change of a source text: `text` instead of `length` characters from `at` on. */
export interface Mutant {
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

/** What is SQL in a source of TypeScript: its templates and strings that have a word of it. */
const sqlWord =
  /\b(select|from|where|update|insert|delete|create|and|case when|returns|security definer|skip locked)\b/;

/** The pieces of a source that are within quotes: where they begin and end, and the holes of templates. */
function quoted(source: string) {
  const found: { from: number; to: number; holes: [number, number][] }[] = [];
  const regExp = /[(,=:[!&|?]\s*\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//y;
  /** From `at`, outside of quotes, to the end of the hole in which that is. */
  function code(at: number): number {
    while (at < source.length && source[at] !== '}') {
      regExp.lastIndex = at;
      if (source.startsWith('//', at)) at = source.indexOf('\n', at);
      else if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 2;
      else if (regExp.test(source)) at = regExp.lastIndex;
      else if (source[at] === '{') at = code(at + 1) + 1;
      else if (/['"`]/.test(source[at] ?? '')) at = quote(at);
      else at += 1;
    }
    return at;
  }
  function quote(from: number): number {
    const holes: [number, number][] = [];
    let at = from + 1;
    while (source[at] !== source[from]) {
      if (source[from] === '`' && source.startsWith('${', at)) {
        const end = code(at + 2) + 1;
        holes.push([at, end]);
        at = end;
      } else at += source[at] === '\\' ? 2 : 1;
    }
    found.push({ from: from + 1, to: at, holes });
    return at + 1;
  }
  code(0);
  return found;
}

/** The same text with holes as names, and without what stands in quotes of SQL or in comments. */
function masked(source: string, { from, to, holes }: ReturnType<typeof quoted>[number]): string {
  let text = source.slice(from, to);
  for (const [start, end] of holes)
    text = text.slice(0, start - from) + 'x'.repeat(end - start) + text.slice(end - from);
  return text
    .replace(/--[^\n]*/g, (all) => ' '.repeat(all.length))
    .replace(/'[^']*'/g, (all) => `'${'s'.repeat(all.length - 2)}'`);
}

const endOfCondition =
  /(?:and|or|then|end|for|order|limit|group|having|returning|union|when|else|loop|where|left|join|from|as)\b|[;,]/y;

/** The end of the condition that begins at `at`, or of a statement's part. */
function conditionEnd(sql: string, at: number, stop = endOfCondition): number {
  let between = false;
  for (let depth = 0; at < sql.length; at++) {
    const isWord = !/\w/.test(sql[at - 1] ?? ' ');
    stop.lastIndex = at;
    if (isWord && /^between\b/.test(sql.slice(at, at + 8))) between = true;
    if (depth === 0 && (isWord || /[;,]/.test(sql[at] ?? '')) && stop.test(sql)) {
      if (!between || !sql.startsWith('and', at)) return at;
      between = false;
    }
    if (sql[at] === '(' || sql[at] === '[' || (isWord && /^case\b/.test(sql.slice(at, at + 5)))) depth += 1;
    else if (sql[at] === ')' || sql[at] === ']' || (isWord && /^end\b/.test(sql.slice(at, at + 4))))
      depth -= 1;
    if (depth < 0) return at;
  }
  return at;
}

/** A pattern of SQL, and what stands instead of it; of several groups, only the last one is replaced. */
const turned: readonly (readonly [RegExp, ...string[]])[] = [
  [/\bor\b(?! replace| update| delete| truncate)/g, 'and'],
  [/(?<!is )\bnot (?=in\b|exists\b|\w+[.(]|\()/g, ''],
  [/\bis null\b/g, 'is not null'],
  [/\bis not null\b/g, 'is null'],
  [/ skip locked\b/g, ''],
  [/\bfor no key update\b/g, 'for key share', ''],
  [/\bfor update\b/g, 'for key share', ''],
  [/\bgreatest(?=\()/g, 'least'],
  [/\bleast(?=\()/g, 'greatest'],
  [/\bmax(?=\()/g, 'min'],
  [/\bmin(?=\()/g, 'max'],
  [/(?<= )<(?= )/g, '<='],
  [/(?<= )<=(?= )/g, '<'],
  [/(?<= )>(?= )/g, '>='],
  [/(?<= )>=(?= )/g, '>'],
  [/(?<!(?:fillfactor|path|message|hint|errcode|set \w+) )(?<= )=(?= )/g, '<>'],
  [/(?<= )<>(?= )/g, '='],
  [/(?<= )\+(?= )/g, '-'],
  [/(?<= )-(?= )/g, '+'],
  [/\bleft join\b/g, 'join'],
  [/(?<!left )\bjoin\b/g, 'left join'],
  [/ desc\b/g, ''],
  [/\border by [\w., ]+?(?= limit|\n|\)|;|$)/g, ''],
  [/\blimit (?:\w+|\$\d)/g, ''],
  [/\bsecurity definer\b/g, ''],
  [/\bset search_path = pg_catalog, pg_temp\b/g, ''],
  [/\bclock_timestamp\(\)/g, 'now()'],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/\bany(?= \()/g, 'all'],
  [/(?<! is) not null\b/g, ''],
  [/ unique\b(?! index)/g, ''],
  [/\bon (?:update|delete) cascade\b/g, ''],
  [/\bcreate (?:or replace trigger|unique index)\b[^;]*;/g, ''],
  [/(?<=(?:before|after) )\w+ or /g, ''],
  [/ or \w+(?= (?:or \w+ )*on campaign_mirror)/g, ''],
  [/\b(?:perform|raise)\b[^;]*;/g, 'null;'],
  [/(?<=(?:;|then|else|begin)\s+)[\w.]+ := [^;]*;/g, 'null;'],
  [/\breturn;/g, 'null;'],
];

const opposite = /^(?:=|<>|is null|is not null)$/;

/** Every small change of the SQL in a source. */
export function sqlMutants(source: string): Mutant[] {
  const mutants = new Map<string, Mutant>();
  for (const piece of quoted(source)) {
    const sql = masked(source, piece);
    if (!sqlWord.test(sql)) continue;
    const add = (start: number, end: number, text: string) => {
      const one = { at: piece.from + start, length: end - start, text };
      if (sql.slice(start, end) !== text) mutants.set(`${one.at} ${one.length} ${text}`, one);
    };
    const dropped: [number, number][] = [];
    // A condition that always holds, or never.
    for (const { 0: word, 1: name, index } of sql.matchAll(
      /\b(where|when|if|elsif|and|or(?! replace| update| delete| truncate)|on(?= [\w.]+ = ))\s+/g,
    )) {
      const start = index + word.length;
      const end = start + sql.slice(start, conditionEnd(sql, start)).trimEnd().length;
      const isNoCondition =
        /^exists campaign_mirror/.test(sql.slice(start)) ||
        /\bbetween (?:(?!\b(?:and|or)\b).)*$/s.test(sql.slice(0, index));
      if (isNoCondition) continue;
      const always = {
        or: ['false'],
        if: ['true', 'false'],
        elsif: ['true', 'false'],
        when: ['true', 'false'],
      };
      dropped.push([start, end]);
      for (const text of always[name as 'if'] ?? ['true']) add(start, end, text);
    }
    // One that is left out is not turned as well: whoever notices the one notices the other.
    const isLeftOut = (at: number) => dropped.some(([start, end]) => at >= start && at < end);
    for (const [pattern, ...others] of turned)
      for (const { 0: all, index } of sql.matchAll(pattern))
        if (!(opposite.test(all) && isLeftOut(index)))
          for (const text of others) add(index, index + all.length, text);
    for (const { index } of sql.matchAll(/\bcoalesce\(/g)) {
      const start = index + 'coalesce('.length;
      const comma = conditionEnd(sql, start, /,/y);
      const end = conditionEnd(sql, comma + 1, /;/y);
      add(index, end + 1, `(${source.slice(piece.from + start, piece.from + comma)})`);
      add(index, end + 1, `(${source.slice(piece.from + comma + 1, piece.from + end)})`);
    }
    for (const { 0: word, index } of sql.matchAll(/\b(?:check|when) \(/g)) {
      const start = index + word.length;
      add(start, conditionEnd(sql, start, /;/y), 'true');
    }
    const text = source.slice(piece.from, piece.to);
    for (const { 0: digits, index } of text.matchAll(/(?<![\w$.#'])\d+(?![\w.'])|(?<=interval ')\d+/g)) {
      // Such a limit is left out as well.
      if (/(?:limit|fillfactor =) $/.test(text.slice(0, index))) continue;
      if (/[sx]/.test(sql[index] ?? '') && !text.slice(0, index).endsWith("interval '")) continue;
      if (/\(\d\)/.test(text.slice(index - 1, index + 2)) && text.slice(0, index).endsWith('timestamptz('))
        continue;
      add(index, index + digits.length, String(Number(digits) + 1));
    }
  }
  return [...mutants.values()].sort((one, other) => one.at - other.at);
}
