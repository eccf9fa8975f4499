import { globSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectFolder, read } from '../workspace.ts';

const kinds = {
  classes: ts.SymbolFlags.Class,
  interfaces: ts.SymbolFlags.Interface,
  functions: ts.SymbolFlags.Function,
  values: ts.SymbolFlags.Variable,
};

/** What the packages that leave the workspace export and is called, made or implemented, by entry and kind. A name that a smaller entry has is listed there only. */
export async function exportsList(): Promise<string> {
  const files = new Map<string, string>();
  for (const path of globSync('packages/*/package.json', { cwd: projectFolder }).sort()) {
    const { name, exports, publishConfig } = JSON.parse(await read(path));
    for (const [entry, file] of Object.entries<string>(publishConfig ? exports : {}))
      files.set(join(name, entry), join(projectFolder, path, '..', file));
  }
  const options = { module: ts.ModuleKind.NodeNext, allowImportingTsExtensions: true, types: [] };
  const program = ts.createProgram([...files.values()], options);
  const checker = program.getTypeChecker();
  const exported = new Map(
    [...files].map(([entry, file]) => {
      const source = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile) as ts.Symbol;
      return [entry, checker.getExportsOfModule(source)] as const;
    }),
  );
  const bare = [...exported.values()].flat().filter((one) => commentOf(one, checker).length === 0);
  if (bare.length > 0) throw new Error(`exported without a comment: ${bare.map(({ name }) => name)}`);
  const lines = [...exported].flatMap(([entry, all]) => {
    const smaller = [...exported].filter(([name]) => name.startsWith(`${entry}/`));
    const there = new Set(smaller.flatMap(([, symbols]) => symbols).map(({ name }) => name));
    const own = all.filter(({ name }) => !there.has(name));
    const lists = Object.entries(kinds).flatMap(([title, kind]) => {
      const names = own.filter((one) => flagsOf(one, checker) & kind).map(({ name }) => name);
      const members = names.sort().map((name) => `\`${name}\``);
      return members.length === 0 ? [] : [`  - ${title}: ${members.join(', ')}`];
    });
    return [`- \`${entry}\``, ...lists];
  });
  return lines.join('\n');
}

const declared = (symbol: ts.Symbol, checker: ts.TypeChecker) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
const flagsOf = (symbol: ts.Symbol, checker: ts.TypeChecker) => declared(symbol, checker).flags;
const commentOf = (symbol: ts.Symbol, checker: ts.TypeChecker) =>
  declared(symbol, checker).getDocumentationComment(checker);
