import { parseSync, Visitor } from 'oxc-parser';

/** A file: its path from the project's folder, with slashes, and what it holds. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly line: number;
  /** Undefined where it is computed. */
  readonly specifier: string | undefined;
  /** Nothing of it is left when the file runs. */
  readonly typeOnly: boolean;
  readonly by: 'import' | 'import()' | 'require';
}

/** What a file takes from the platform other than by an import. */
export interface PlatformUse {
  readonly line: number;
  readonly kind:
    | 'environment'
    | 'global-object'
    | 'import.meta'
    | 'ambient'
    | 'compiler-switch'
    | 'evaluation';
  readonly what: string;
}

export interface Facts {
  readonly path: string;
  readonly imports: readonly Import[];
  readonly uses: readonly PlatformUse[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** @throws SyntaxError for a file that is no TypeScript: it has no facts */
export function factsOf({ path, text }: SourceFile): Facts {
  const parsed = parseSync(path, text);
  const [error] = parsed.errors;
  if (error) throw new SyntaxError(`${path}: ${error.message}`);
  const imports: Import[] = [];
  const uses: PlatformUse[] = [];
  const lineOf = ({ start }: { start: number }) => text.slice(0, start).split('\n').length;
  const use = (node: { start: number }, kind: PlatformUse['kind'], what: string) =>
    uses.push({ line: lineOf(node), kind, what });
  const take = (node: unknown, source: unknown, by: Import['by'], typeOnly: boolean) =>
    imports.push({ line: lineOf(node as Node), specifier: literal(source), typeOnly, by });

  const requires = new Set(['require']);
  const makers = new Set(['createRequire']);
  /** Identifiers that only look like the global of their name. */
  const innocent = new Set<number>();
  const spare = (node: unknown) => void innocent.add((node as Node).start);
  const spareKey = (node: object) => {
    const { computed, shorthand, key } = node as { computed?: boolean; shorthand?: boolean; key: Node };
    if (!computed && !shorthand) spare(key);
  };
  const isRequire = (node: Node): boolean => {
    if (node.type === 'Identifier') return requires.has(node.name as string);
    if (node.type === 'CallExpression') return makes(node);
    return (
      node.type === 'MemberExpression' && memberName(node) === 'resolve' && isRequire(node.object as Node)
    );
  };
  const makes = (node: Node): boolean => {
    const callee = node.callee as Node | undefined;
    if (node.type !== 'CallExpression' || !callee) return false;
    const name = callee.type === 'MemberExpression' ? memberName(callee) : callee.name;
    return makers.has(String(name));
  };

  new Visitor({
    ImportDeclaration(node) {
      take(node, node.source, 'import', node.importKind === 'type');
      for (const one of node.specifiers) {
        if (one.type !== 'ImportSpecifier') continue;
        spare(one.imported);
        if ('name' in one.imported && one.imported.name === 'createRequire') makers.add(one.local.name);
      }
    },
    ExportNamedDeclaration(node) {
      if (node.source) take(node, node.source, 'import', node.exportKind === 'type');
    },
    ExportAllDeclaration(node) {
      take(node, node.source, 'import', node.exportKind === 'type');
    },
    ImportExpression(node) {
      take(node, node.source, 'import()', false);
    },
    TSImportType(node) {
      take(node, node.source, 'import', true);
    },
    TSExternalModuleReference(node) {
      take(node, node.expression, 'require', false);
    },
    CallExpression(node) {
      const called = node as unknown as Node;
      if (isRequire(called.callee as Node)) take(node, node.arguments[0], 'require', false);
      if (node.callee.type === 'Identifier' && node.callee.name === 'eval') use(node, 'evaluation', 'eval');
    },
    VariableDeclarator(node) {
      if (node.init && makes(node.init as unknown as Node) && node.id.type === 'Identifier') {
        requires.add(node.id.name);
      }
    },
    VariableDeclaration(node) {
      if (!node.declare) return;
      for (const { id } of node.declarations) {
        const type = (id as { typeAnnotation?: { typeAnnotation: Node } | null }).typeAnnotation
          ?.typeAnnotation;
        if (id.type === 'Identifier') spare(id);
        // The key of a brand: a type, of which there is no value.
        if (type?.type === 'TSTypeOperator' && type.operator === 'unique') continue;
        use(node, 'ambient', id.type === 'Identifier' ? id.name : text.slice(id.start, id.end));
      }
    },
    TSDeclareFunction(node) {
      if (node.declare) use(node, 'ambient', node.id?.name ?? 'function');
    },
    ClassDeclaration(node) {
      if (node.declare) use(node, 'ambient', node.id?.name ?? 'class');
    },
    TSModuleDeclaration(node) {
      spare(node.id);
      use(node, 'ambient', text.slice(node.id.start, node.id.end));
    },
    MetaProperty(node) {
      if (node.meta.name === 'import') use(node, 'import.meta', 'import.meta');
    },
    MemberExpression(node) {
      const member = node as unknown as Node;
      const object = member.object as Node;
      if (!member.computed) spare(member.property);
      const name = memberName(member);
      if (object.type !== 'Identifier' || object.name !== 'process') return;
      if (name !== undefined && name !== 'env' && name !== 'getBuiltinModule') spare(object);
    },
    Property: spareKey,
    MethodDefinition: spareKey,
    PropertyDefinition: spareKey,
    TSPropertySignature: spareKey,
    TSMethodSignature: spareKey,
    Identifier(node) {
      if (innocent.has(node.start)) return;
      if (node.name === 'process') use(node, 'environment', 'process.env');
      if (node.name === 'globalThis' || node.name === 'global') use(node, 'global-object', node.name);
      if (node.name === 'Function') use(node, 'evaluation', 'Function');
    },
  }).visit(parsed.program);

  for (const { value, start } of parsed.comments) {
    const found = /@ts-(?:ignore|expect-error|nocheck)|^\/\s*<(?:reference|amd)/.exec(value);
    if (found) use({ start }, 'compiler-switch', value.trim());
  }
  return { path, imports, uses };
}

function memberName(node: Node): string | undefined {
  const property = node.property as Node;
  return node.computed ? literal(property) : (property.name as string);
}

/** The text of a string, or of a template without a hole. */
function literal(node: unknown): string | undefined {
  const { type, value, quasis } = (node ?? {}) as {
    type?: string;
    value?: unknown;
    quasis?: { value: { cooked: string } }[];
  };
  if (type === 'Literal' && typeof value === 'string') return value;
  if (type === 'TemplateLiteral' && quasis?.length === 1) return quasis[0]?.value.cooked;
  return undefined;
}
