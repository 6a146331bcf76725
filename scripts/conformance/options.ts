import {
  ReadConcern,
  type ReadConcernLevel,
  ReadPreference,
  type ReadPreferenceMode,
  type TagSet,
} from 'mongodb';
import type { EntityMap } from './entity-map.ts';
import { isDocument, plain } from './values.ts';

type PreferenceDocument = {
  mode: ReadPreferenceMode;
  tagSets?: TagSet[];
  maxStalenessSeconds?: number;
  hedge?: { enabled?: boolean };
};

function readPreference({ mode, tagSets, ...options }: PreferenceDocument): ReadPreference {
  // The format writes modes as the enumeration of some drivers has them, with or without a capital.
  const name = `${mode.charAt(0).toLowerCase()}${mode.slice(1)}` as ReadPreferenceMode;
  return new ReadPreference(name, tagSets, options);
}

/** One option of an operation or entity as the driver takes it; documents keep their BSON types. */
function driverOption(name: string, value: unknown, entities: EntityMap): unknown {
  if (name === 'session') return entities.get('session', String(value)).session;
  if (name === 'readConcern') return new ReadConcern((value as { level: ReadConcernLevel }).level);
  if (name === 'readPreference') return readPreference(plain(value) as PreferenceDocument);
  if (name === 'writeConcern') return plain(value);
  if (name === 'returnDocument') return String(value).toLowerCase();
  if (name === 'defaultTransactionOptions' && isDocument(value)) return driverOptions(value, entities);
  return isDocument(value) || Array.isArray(value) ? value : plain(value);
}

/** The options of an operation or entity as the driver takes them. */
export function driverOptions(options: object, entities: EntityMap): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, driverOption(name, value, entities)]),
  );
}
