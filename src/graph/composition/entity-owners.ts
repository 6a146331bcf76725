import { type DocumentNode, Kind } from 'graphql';
import type { SubgraphSource } from './sources.ts';
import { isStub, keysOf } from './subgraph-document.ts';

type DeclaredType = { fields: Set<string>; entity: boolean; stub: boolean };

/** A subgraph with the object types that its SDL declares. */
export type SubgraphTypes = SubgraphSource & { types: Map<string, DeclaredType> };

export type EntityOwners = {
  /** The subgraph that loads an entity by its id; undefined for types that are no entity. */
  ownerOf(type: string): SubgraphTypes | undefined;
};

export function declaredTypes({ definitions }: DocumentNode): Map<string, DeclaredType> {
  const types = new Map<string, DeclaredType>();
  for (const definition of definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    types.set(definition.name.value, {
      fields: new Set(definition.fields?.map((field) => field.name.value)),
      entity: keysOf(definition).length > 0,
      stub: isStub(definition),
    });
  }
  return types;
}

/** Finds the one owner of every entity; throws when one has several, or has none and is not known to live `elsewhere`. */
export function claimsOf(subgraphs: SubgraphTypes[], elsewhere: ReadonlySet<string>): EntityOwners {
  const owners = new Map<string, SubgraphTypes>();
  for (const subgraph of subgraphs) {
    for (const type of Object.keys(subgraph.references)) {
      const declared = subgraph.types.get(type);
      if (!declared?.entity || declared.stub) {
        throw new Error(`Subgraph ${subgraph.name} loads ${type} but does not declare it with a @key.`);
      }
      const other = owners.get(type);
      if (other) throw new Error(`${type} is loaded by two subgraphs: ${other.name} and ${subgraph.name}.`);
      owners.set(type, subgraph);
    }
  }
  for (const { name, types } of subgraphs) {
    for (const [type, { entity }] of types) {
      if (entity && !owners.has(type) && !elsewhere.has(type)) {
        throw new Error(
          `Subgraph ${name} declares the entity ${type}, but no subgraph has a reference for it.`,
        );
      }
    }
  }
  return { ownerOf: (type) => owners.get(type) };
}
