import type { Schema } from '../../rest-compat/openapi/document.ts';
import { resolved, type Schemas } from '../../rest-compat/openapi/resolve.ts';

export type Changes = { breaking: string[]; dangerous: string[] };

export const noChanges = (): Changes => ({ breaking: [], dangerous: [] });

export const joined = (all: Changes[]): Changes => ({
  breaking: all.flatMap(({ breaking }) => breaking),
  dangerous: all.flatMap(({ dangerous }) => dangerous),
});

/** Two versions of a value and where it stands; callers send it or get it. */
export type Versions = { at: string; old: Schema; current: Schema; direction: 'sent' | 'answered' };

export type Components = { old: Schemas; current: Schemas };

/** What a change of a schema means to those who send such values or read them. */
export function schemaChanges({ at, direction, ...versions }: Versions, components: Components): Changes {
  const old = resolved(versions.old, components.old);
  const current = resolved(versions.current, components.current);
  if (old.type !== current.type || old.format !== current.format) {
    return { breaking: [`${at} was ${kind(old)} and is ${kind(current)}.`], dangerous: [] };
  }
  const pair = { at, old, current, direction };
  return joined([
    valueChanges(pair),
    old.items && current.items
      ? schemaChanges({ at: `${at}[]`, old: old.items, current: current.items, direction }, components)
      : noChanges(),
    memberChanges(pair, components),
  ]);
}

const kind = ({ type, format }: Schema): string => `${type ?? 'anything'}${format ? ` (${format})` : ''}`;

/** Larger is stricter for the first ones, smaller for the second ones. */
const floors = ['minimum', 'minLength', 'minItems'] as const;
const ceilings = ['maximum', 'maxLength', 'maxItems'] as const;

function valueChanges({ at, old, current, direction }: Versions): Changes {
  const changes = noChanges();
  const values = (schema: Schema) => (schema.enum ?? []).filter((value) => value !== null);
  if (old.enum && current.enum) {
    const gone = values(old).filter((value) => !values(current).includes(value));
    const added = values(current).filter((value) => !values(old).includes(value));
    changes.breaking.push(...gone.map((value) => `${at} has no value ${value} any more.`));
    if (direction === 'answered')
      changes.dangerous.push(...added.map((value) => `${at} may be ${value} as well.`));
  } else if (current.enum && direction === 'sent') {
    changes.breaking.push(`${at} takes only ${values(current).join(', ')}.`);
  }
  if (direction === 'answered') {
    if (current.nullable && !old.nullable) changes.breaking.push(`${at} may be null.`);
    return changes;
  }
  if (old.nullable && !current.nullable) changes.breaking.push(`${at} may not be null any more.`);
  if (current.pattern && current.pattern !== old.pattern) {
    changes.breaking.push(`${at} must match ${current.pattern}.`);
  }
  for (const bound of [...floors, ...ceilings]) {
    const limit = current[bound];
    const isFloor = floors.includes(bound as never);
    const was = old[bound] ?? (isFloor ? -Infinity : Infinity);
    if (limit !== undefined && (isFloor ? limit > was : limit < was)) {
      changes.breaking.push(`${at} has ${bound} ${limit} (it had ${old[bound] ?? 'none'}).`);
    }
  }
  if (old.default !== current.default) {
    changes.dangerous.push(`${at} is ${current.default} when it is absent (it was ${old.default}).`);
  }
  return changes;
}

function memberChanges({ at, old, current, direction }: Versions, components: Components): Changes {
  const members = current.properties ?? {};
  const isNeeded = (schema: Schema, name: string) => schema.required?.includes(name) ?? false;
  const kept = Object.entries(old.properties ?? {}).map(([name, was]): Changes => {
    const is = members[name];
    if (!is) return { breaking: [`${at}.${name} is gone.`], dangerous: [] };
    return schemaChanges({ at: `${at}.${name}`, old: was, current: is, direction }, components);
  });
  const needed = Object.keys(members).filter((name) =>
    direction === 'sent'
      ? isNeeded(current, name) && !isNeeded(old, name)
      : isNeeded(old, name) && !isNeeded(current, name),
  );
  const word = direction === 'sent' ? 'is required now' : 'may be absent now';
  return joined([...kept, { breaking: needed.map((name) => `${at}.${name} ${word}.`), dangerous: [] }]);
}
