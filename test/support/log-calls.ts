import { parseSync, Visitor } from 'oxc-parser';
import type { SourceFile } from './workspace.ts';

/** A call that writes a line of the log, as the source has it. */
export interface LogCall {
  readonly path: string;
  /** Undefined where it is computed. */
  readonly level: string | undefined;
  /** As a literal; undefined where it is computed. */
  readonly event: string | undefined;
  /** Those that stand there by their names. */
  readonly fields: readonly string[];
  /** Others are added by `…`. */
  readonly open: boolean;
}

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

const levels = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);

/** The calls of `log.info(…)` and its siblings, also of `this.#log` and `log[…]`. */
export function logCalls({ path, text }: SourceFile): LogCall[] {
  const found: LogCall[] = [];
  new Visitor({
    CallExpression(node) {
      const callee = node.callee as unknown as Node;
      if (callee.type !== 'MemberExpression' || !isLog(callee.object as Node)) return;
      const property = callee.property as Node;
      const level = callee.computed ? undefined : String(property.name);
      if (level !== undefined && !levels.has(level)) return;
      found.push({ path, level, ...fieldsOf(node.arguments[0] as unknown as Node) });
    },
  }).visit(parseSync(path, text).program);
  return found;
}

/** Every text that stands in a source, for the events that are computed from them. */
export function textsIn({ path, text }: SourceFile): string[] {
  const found: string[] = [];
  new Visitor({
    Literal(node) {
      if (typeof node.value === 'string') found.push(node.value);
    },
  }).visit(parseSync(path, text).program);
  return found;
}

function isLog(node: Node): boolean {
  const name = node.type === 'MemberExpression' ? (node.property as Node).name : node.name;
  return name === 'log';
}

function fieldsOf(given: Node | undefined): Pick<LogCall, 'event' | 'fields' | 'open'> {
  if (given?.type !== 'ObjectExpression') return { event: undefined, fields: [], open: true };
  const properties = given.properties as Node[];
  const named = properties.filter(({ type }) => type === 'Property');
  const event = named.find((one) => (one.key as Node).name === 'event')?.value as Node | undefined;
  return {
    event: event?.type === 'Literal' ? String(event.value) : undefined,
    fields: named.map((one) => String((one.key as Node).name)).filter((name) => name !== 'event'),
    open: named.length < properties.length,
  };
}
