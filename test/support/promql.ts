import { parser } from '@prometheus-io/lezer-promql';

type Node = ReturnType<typeof parser.parse>['topNode'];

/** Those whose result may be empty though there is something on both sides. */
const selective = ['And', 'Or', 'Unless', 'Eql', 'Neq', 'Gtr', 'Gte', 'Lss', 'Lte'];

/** @throws SyntaxError for what is no query */
function parsed(query: string): Node {
  const tree = parser.parse(query);
  tree.iterate({
    enter: ({ type, from }) => {
      if (type.isError) throw new SyntaxError(`no PromQL from '${query.slice(from)}' on: ${query}`);
    },
  });
  return tree.topNode;
}

/** The metrics and the recorded series that a query reads. */
export function metricsOf(query: string): string[] {
  const names: string[] = [];
  parsed(query)
    .toTree()
    .iterate({
      enter: ({ name, from, to }) => {
        if (name === 'Identifier') names.push(query.slice(from, to));
      },
    });
  return names;
}

/**
 * What a query compares or joins, each a query of its own: an alert says nothing where all is well, but what it looks
 * at has to be there. Of `absent` it is what may be absent; numbers are left out.
 */
export function operandsOf(query: string): string[] {
  const operands = (node: Node): string[] => {
    const { firstChild: first, lastChild: last, name } = node;
    if (name === 'NumberDurationLiteral') return [];
    if (!first || !last) return [query.slice(node.from, node.to)];
    if (name === 'PromQL' || name === 'ParenExpr' || node.getChild('FunctionIdentifier')?.getChild('Absent'))
      return operands(name === 'FunctionCall' ? (last.firstChild ?? last) : first);
    if (name === 'BinaryExpr' && selective.some((operator) => node.getChild(operator)))
      return [...operands(first), ...operands(last)];
    return [query.slice(node.from, node.to)];
  };
  return operands(parsed(query));
}
