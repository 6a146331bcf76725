import type { OpenApi, Schema } from './document.ts';

/** Schemas that several operations share, each once under its name. */
export type Components = {
  /** A reference to the component; `source` tells two components apart that claim the same name. */
  schema(name: string, source: string, make: () => Schema): Schema;
  all(): Record<string, Schema>;
};

/** An empty set of components. */
export function createComponents(): Components {
  const found = new Map<string, { source: string; schema: Schema }>();
  return {
    schema(name, source, make) {
      const known = found.get(name);
      if (known && known.source !== source) {
        throw new Error(`Two different things are called ${name}: ${known.source} and ${source}`);
      }
      if (!known) {
        // The name is registered before the schema is made, since a type may contain itself.
        const entry = { source, schema: {} };
        found.set(name, entry);
        entry.schema = make();
      }
      return { $ref: `#/components/schemas/${name}` };
    },
    all: () => Object.fromEntries([...found].map(([name, { schema }]) => [name, schema]).sort(byName)),
  };
}

const byName = ([a]: unknown[], [b]: unknown[]): number => (String(a) < String(b) ? -1 : 1);

/** A schema with further keywords; beside a `$ref` OpenAPI 3.0 ignores them, so that goes into an `allOf`. */
export function annotated(schema: Schema, keywords: Schema): Schema {
  if (Object.keys(keywords).length === 0) return schema;
  return schema.$ref ? { ...keywords, allOf: [schema] } : { ...schema, ...keywords };
}

/**
 * The schema with null added to its values. `nullable` means something only beside a `type`: what may be anything may be null
 * already, and what a component describes is an object.
 */
export function nullable(schema: Schema): Schema {
  if (schema.$ref) return { type: 'object', nullable: true, allOf: [schema] };
  if (schema.allOf) return { type: 'object', nullable: true, ...schema };
  if (schema.type === undefined && !schema.enum) return schema;
  if (schema.enum) return { ...schema, nullable: true, enum: [...schema.enum, null] };
  return annotated(schema, { nullable: true });
}

type Written = OpenApi['components'];
type Kind = keyof Written;

/** The components that the paths refer to, directly or through others. Ways to sign in are named and not referred to: all stay. */
export function usedComponents(paths: OpenApi['paths'], components: Written): Written {
  const used = new Set<string>();
  const pending: unknown[] = [paths];
  while (pending.length > 0) {
    for (const reference of referencesIn(pending.pop())) {
      if (used.has(reference)) continue;
      used.add(reference);
      const [kind = '', name = ''] = reference.split('/').slice(2);
      pending.push((components[kind as Kind] as Record<string, unknown>)[name]);
    }
  }
  const ofKind = <K extends Kind>(kind: K) =>
    Object.fromEntries(
      Object.entries(components[kind]).filter(([name]) => used.has(`#/components/${kind}/${name}`)),
    ) as Written[K];
  return {
    schemas: ofKind('schemas'),
    responses: ofKind('responses'),
    headers: ofKind('headers'),
    parameters: ofKind('parameters'),
    securitySchemes: components.securitySchemes,
  };
}

function* referencesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === '$ref' && typeof member === 'string') yield member;
    else yield* referencesIn(member);
  }
}
