import { type DocumentNode, Kind, parse, visit } from 'graphql';
import type { Graph } from '../../composition/graph.ts';
import { isRuleDirective } from '../../composition/subgraph-document.ts';

const link = parse(
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])',
).definitions;
const idKey = parse('type T @key(fields: "id") { id: ID! }').definitions[0];
const key = idKey?.kind === Kind.OBJECT_TYPE_DEFINITION ? (idKey.directives ?? []) : [];

/** All built-in subgraphs as the one subgraph that they are to a remote: fused, every entity with its key. */
export function gatewayDocument({ document, references }: Graph): DocumentNode {
  const plain = visit(document, {
    Directive: ({ name }) => (isRuleDirective(name.value) ? null : undefined),
    DirectiveDefinition: () => null,
    ObjectTypeDefinition: {
      leave: (type) => (type.name.value in references ? { ...type, directives: key } : undefined),
    },
  });
  return { kind: Kind.DOCUMENT, definitions: [...link, ...plain.definitions] };
}
