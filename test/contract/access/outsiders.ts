import type { Caller } from './callers.ts';
import type { Door, Outcome } from './doors.ts';
import type { Prepared, World } from './world.ts';

/** A call that has to be refused, or to answer nothing of what the documents of others say. */
export type Attempt = {
  by: string;
  caller: Caller;
  calls: Prepared[];
  isRight(outcome: Outcome): boolean;
};

type Ground = {
  calls: Prepared[];
  callers: { neighbour: Caller; elsewhere: Caller };
  /** All that the tenant has, by `<collection> <id>`. */
  stored: Record<string, string>;
};

/** Those who may do everything, but not here: another tenant, and another workspace of the same one. */
export function outsidersAt(world: World, door: Door, { calls, callers, stored }: Ground): Attempt[] {
  const all = [...calls, ...calls.flatMap(namedBySlug)];
  const neighbour = { by: 'a neighbour', caller: callers.neighbour };
  const elsewhere = { by: 'another workspace', caller: callers.elsewhere };
  return [
    outsider(door, all, neighbour, namesOf(Object.entries(stored))),
    outsider(door, all, elsewhere, namesOf(Object.entries(stored).filter(isOfWorkspace(world)))),
  ];
}

/** No id or slug of these may come out, and a change that names one is refused. */
function outsider(
  door: Door,
  calls: Prepared[],
  who: Pick<Attempt, 'by' | 'caller'>,
  names: string[],
): Attempt {
  const isChange = door.root.operation === 'mutation';
  const namedIn = (value: unknown) => {
    const text = JSON.stringify(value ?? null);
    return names.filter((name) => text.includes(name));
  };
  const sent = calls.filter(({ values }) => !isChange || namedIn(values).length > 0);
  const known = sent.flatMap(({ values }) => namedIn(values));
  return {
    ...who,
    calls: sent,
    isRight: ({ status, message, data }) =>
      status < 500 &&
      (status >= 400 || !isChange) &&
      namedIn(data).length === 0 &&
      namedIn(message).every((name) => known.includes(name)),
  };
}

/** The same call with the slug of what it names in place of the id. */
const namedBySlug = ({ values, made }: Prepared): Prepared[] =>
  made.flatMap(({ _id, slug }) => {
    if (typeof slug !== 'string') return [];
    return [{ values: JSON.parse(JSON.stringify(values).replaceAll(`"${_id}"`, `"${slug}"`)), made }];
  });

type Stored = [name: string, text: string];

/** Ids, and the slugs of copies, which nobody else has. */
const namesOf = (stored: Stored[]): string[] =>
  stored.flatMap(([name, text]) => {
    const [, id = ''] = name.split(' ');
    const [, slug] = /"slug":"(x\d+-[^"]+)"/.exec(text) ?? [];
    return slug ? [id, slug] : [id];
  });

/** Whether it belongs to the tenant's own workspace, or is a workspace beside the outsider's. */
const isOfWorkspace =
  ({ tenant, elsewhere }: World) =>
  ([name, text]: Stored): boolean =>
    text.includes(`"workspaceId":"${tenant.workspaceId}"`) ||
    (name.startsWith('workspaces ') && !name.endsWith(elsewhere.workspaceId));
