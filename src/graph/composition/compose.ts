import { composeServices } from '@theguild/federation-composition';
import { type ASTNode, type DirectiveNode, type DocumentNode, Kind, visit } from 'graphql';
import { isRuleDirective, keysOf } from './subgraph-document.ts';

export type SubgraphDocument = { name: string; document: DocumentNode; url?: string };

export type Supergraph = {
  /** The supergraph, for a federation router. */
  supergraphSdl: string;
  /** What callers see: the supergraph without federation's own names, with the project's directives. */
  publicDocument: DocumentNode;
};

const supported = new Set(['key', 'shareable', 'deprecated', 'specifiedBy', 'oneOf']);

/** Composes the built-in subgraphs; throws with the composer's words when they do not fit together. */
export function compose(subgraphs: SubgraphDocument[]): Supergraph {
  for (const subgraph of subgraphs) refuseUnsupported(subgraph);
  const supergraph = composeWithRemotes(subgraphs);
  const kept = rulesOf(supergraph.publicDocument);
  for (const { document } of subgraphs) {
    for (const rule of rulesOf(document)) {
      if (!kept.has(rule)) throw new Error(`Composition lost a rule: ${rule}`);
    }
  }
  return supergraph;
}

/** Composes subgraphs that were checked before, remote ones among them; throws with the composer's words. */
export function composeWithRemotes(subgraphs: SubgraphDocument[]): Supergraph {
  const result = composeServices(
    subgraphs.map(({ name, document, url }) => ({ name, typeDefs: document, ...(url && { url }) })),
  );
  if (result.errors) {
    throw new Error(
      `The subgraphs do not compose:\n${result.errors.map(({ message }) => `- ${message}`).join('\n')}`,
    );
  }
  return {
    supergraphSdl: result.supergraphSdl,
    publicDocument: withoutFederation(result.supergraphDocumentNode),
  };
}

/** Refuses keys that the fused executor cannot follow: with any but a single-field key it would answer wrongly. */
function refuseUnsupported({ name, document }: SubgraphDocument): void {
  const refuse = (what: string) => {
    throw new Error(`Subgraph ${name}: ${what} is not supported.`);
  };
  visit(document, {
    SchemaExtension: () => false,
    Directive: ({ name: { value } }) => {
      if (!supported.has(value) && !isRuleDirective(value)) refuse(`@${value}`);
    },
    InterfaceTypeDefinition: (type) => {
      if (type.directives?.some((directive) => directive.name.value === 'key'))
        refuse('@key on an interface');
    },
    ObjectTypeDefinition: (type) => {
      const keys = keysOf(type);
      if (keys.length > 1) refuse(`more than one @key on ${type.name.value}`);
      const fields = keys[0]?.arguments?.find((argument) => argument.name.value === 'fields')?.value;
      if (fields?.kind === Kind.STRING && fields.value !== 'id') {
        refuse(`@key(fields: "${fields.value}") on ${type.name.value}; the key of an entity is "id"; this`);
      }
    },
  });
}

const isFederationName = (name: string) => /^(join|link)__|^link$/.test(name);

function withoutFederation(document: DocumentNode): DocumentNode {
  const drop = (node: { name: { value: string } }) => (isFederationName(node.name.value) ? null : undefined);
  return visit(document, {
    SchemaDefinition: () => null,
    SchemaExtension: () => null,
    DirectiveDefinition: drop,
    Directive: drop,
    ScalarTypeDefinition: drop,
    EnumTypeDefinition: drop,
  });
}

/** Every use of a project directive as `Type.field.argument @directive`, to compare before and after composition. */
function rulesOf(document: DocumentNode): Set<string> {
  const rules = new Set<string>();
  const path: string[] = [];
  const named = (node: ASTNode) => ('name' in node && node.name ? node.name.value : '');
  const level = {
    enter: (node: ASTNode & { directives?: readonly DirectiveNode[] }) => {
      path.push(named(node));
      for (const directive of node.directives ?? []) {
        if (isRuleDirective(named(directive))) rules.add(`${path.join('.')} @${named(directive)}`);
      }
    },
    leave: () => {
      path.pop();
    },
  };
  visit(document, {
    DirectiveDefinition: () => false,
    ObjectTypeDefinition: level,
    InterfaceTypeDefinition: level,
    InputObjectTypeDefinition: level,
    FieldDefinition: level,
    InputValueDefinition: level,
  });
  return rules;
}
