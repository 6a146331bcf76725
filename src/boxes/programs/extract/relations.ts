import { posix } from 'node:path';
import { walkXml } from './xml.ts';

/** A part of an archive that another part names. */
export type Relation = { kind: string; path: string };

/** The parts that the part at `path` names, by the ids that it gives to them. */
export function relationsOf(parts: Record<string, Uint8Array>, path: string): Map<string, Relation> {
  const relations = new Map<string, Relation>();
  const part = parts[`${posix.dirname(path)}/_rels/${posix.basename(path)}.rels`];
  if (!part) return relations;
  walkXml(part, {
    open({ name, attributes }) {
      if (name !== 'Relationship') return;
      const { Id = '', Type = '', Target = '' } = attributes;
      relations.set(Id, { kind: posix.basename(Type), path: resolved(posix.dirname(path), Target) });
    },
  });
  return relations;
}

/** Targets are paths from the folder of the part that names them; with a slash at the beginning, from the root. */
const resolved = (folder: string, target: string): string =>
  target.startsWith('/') ? target.slice(1) : posix.join(folder, target);

export const isRelations = (name: string): boolean => name.endsWith('.rels');
