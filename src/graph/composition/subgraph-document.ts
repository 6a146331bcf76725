import {
  type DefinitionNode,
  type DocumentNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  Source,
} from 'graphql';
import { type SdlFile, sharedFiles } from './sources.ts';

const ruleDirectives = [
  'access',
  'authenticated',
  'public',
  'constraint',
  'listSize',
  'audit',
  'secret',
  'constant',
] as const;
export type RuleDirective = (typeof ruleDirectives)[number];
export const isRuleDirective = (name: string): name is RuleDirective =>
  (ruleDirectives as readonly string[]).includes(name);

const quoted = ruleDirectives.map((name) => `"@${name}"`);

// Version 2.3 on purpose: later versions of federation bring a directive `@authenticated` of their own.
const links = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@composeDirective"])
  @link(url: "https://sluice.dev/rules/v1.0", import: [${quoted}])
  ${quoted.map((name) => `@composeDirective(name: ${name})`).join('\n  ')}`;

/** Positions of words are needed only while parsing, and they take megabytes. */
const unlocated = { noLocation: true };

const preamble: DefinitionNode[] = [
  ...parse(links, unlocated).definitions,
  ...sharedFiles.flatMap(({ text, path }) => parse(new Source(text, path), unlocated).definitions),
];

/** One subgraph's SDL as federation wants it: the files joined, with the project's directives declared and linked. */
export function subgraphDocument(files: SdlFile[]): DocumentNode {
  const merged = new Map<string, DefinitionNode>();
  const paths = new Map<string, string>();
  for (const { path, text } of files) {
    for (const definition of parse(new Source(text, path), unlocated).definitions) {
      const name = 'name' in definition ? definition.name?.value : undefined;
      if (!name) throw new Error(`${path}: only named types belong in a resource's SDL.`);
      const earlier = merged.get(name);
      const joined = earlier ? join(earlier, definition) : definition;
      if (!joined) throw new Error(`${path}: ${name} is already declared in ${paths.get(name)}.`);
      merged.set(name, joined);
      paths.set(name, path);
    }
  }
  return { kind: Kind.DOCUMENT, definitions: [...preamble, ...merged.values()] };
}

const rootTypes = ['Query', 'Mutation', 'Subscription'];

/**
 * Several files may declare a root type or an entity of another subgraph. Two declarations of any other type are a
 * mistake: the result is null.
 */
function join(earlier: DefinitionNode, later: DefinitionNode): DefinitionNode | null {
  if (earlier.kind === Kind.OBJECT_TYPE_DEFINITION && later.kind === Kind.OBJECT_TYPE_DEFINITION) {
    if (rootTypes.includes(earlier.name.value)) {
      return { ...earlier, fields: [...(earlier.fields ?? []), ...(later.fields ?? [])] };
    }
    if (isStub(earlier) && isStub(later)) return earlier;
  }
  return null;
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
