import {
  type DefinitionNode,
  type DocumentNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  Source,
} from 'graphql';
import { rulesFile, type SdlFile } from './sources.ts';

const ruleDirectives = [
  'access',
  'authenticated',
  'public',
  'constraint',
  'audit',
  'secret',
  'constant',
] as const;
export type RuleDirective = (typeof ruleDirectives)[number];
export const isRuleDirective = (name: string): name is RuleDirective =>
  (ruleDirectives as readonly string[]).includes(name);

const quoted = ruleDirectives.map((name) => `"@${name}"`);

// Federation 2.3 on purpose: later versions have an `@authenticated` of their own.
const links = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@composeDirective"])
  @link(url: "https://sluice.dev/rules/v1.0", import: [${quoted}])
  ${quoted.map((name) => `@composeDirective(name: ${name})`).join('\n  ')}`;

const preamble: DefinitionNode[] = [
  ...parse(links).definitions,
  ...parse(new Source(rulesFile.text, rulesFile.path)).definitions,
];

/** One subgraph's SDL as federation wants it: the files joined, with the project's directives declared and linked. */
export function subgraphDocument(files: SdlFile[]): DocumentNode {
  const merged = new Map<string, DefinitionNode>();
  for (const file of files) {
    for (const definition of parse(new Source(file.text, file.path)).definitions) {
      const name = 'name' in definition ? definition.name?.value : undefined;
      if (!name) throw new Error(`${file.path}: only named types belong in a resource's SDL.`);
      const earlier = merged.get(name);
      merged.set(name, earlier ? join(earlier, definition, name, file.path) : definition);
    }
  }
  return { kind: Kind.DOCUMENT, definitions: [...preamble, ...merged.values()] };
}

const rootTypes = ['Query', 'Mutation', 'Subscription'];

/** The root types grow with every file; a foreign entity may be declared by several; all else is a mistake. */
function join(earlier: DefinitionNode, later: DefinitionNode, name: string, path: string): DefinitionNode {
  if (earlier.kind === Kind.OBJECT_TYPE_DEFINITION && later.kind === Kind.OBJECT_TYPE_DEFINITION) {
    if (rootTypes.includes(name)) {
      return { ...earlier, fields: [...(earlier.fields ?? []), ...(later.fields ?? [])] };
    }
    if (isStub(earlier) && isStub(later)) return earlier;
  }
  throw new Error(`${path}: ${name} is already declared in ${earlier.loc?.source.name}.`);
}

/** True for `type Workspace @key(fields: "id", resolvable: false) { id: ID! }`: an entity that another subgraph owns. */
export const isStub = (type: ObjectTypeDefinitionNode): boolean =>
  keysOf(type).some((key) =>
    key.arguments?.some(
      (argument) =>
        argument.name.value === 'resolvable' &&
        argument.value.kind === Kind.BOOLEAN &&
        argument.value.value === false,
    ),
  );

export const keysOf = (type: Pick<ObjectTypeDefinitionNode, 'directives'>) =>
  (type.directives ?? []).filter((directive) => directive.name.value === 'key');
