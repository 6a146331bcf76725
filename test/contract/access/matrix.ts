import { describe, expect, it } from '@jest/globals';
import { type Caller, keyCaller, nobody } from './callers.ts';
import type { Door, Outcome } from './doors.ts';
import { companions } from './hints.ts';
import { everything, lacksAll, refusesKeys, without } from './permissions.ts';
import { changedSince, storedDocuments } from './stored.ts';
import { type Prepared, prepare, variantsOf, type World } from './world.ts';

/** A call that has to be refused, or to answer nothing of what the documents of others say. */
type Attempt = { by: string; caller: Caller; calls: Prepared[]; isRight(outcome: Outcome): boolean };

/**
 * What every operation promises, whatever it does: strangers are refused; so is a credential that holds everything but
 * the operation's own scopes; neither a neighbour nor another workspace sees or changes anything; and each of the scopes
 * opens it alone. The arguments are made from the schema, so that a new operation is walked unasked.
 */
export function describeAccessOf(doors: Door[], world: () => World): void {
  describe.each(doors.map((door) => [door.label, door] as const))('%s', (_label, door) => {
    it('is closed to all but its own, and nothing changes', async () => {
      const { app, tenant } = world();
      const calls = await preparedCalls(world(), door);
      const callers = await callersOf(world(), door);
      const before = await storedDocuments(app, tenant);
      const wrong = [];
      for (const attempt of attemptsAt(world(), door, { calls, callers, stored: before })) {
        for (const { values } of attempt.calls) {
          const outcome = await door.call(app, values, attempt.caller);
          if (!attempt.isRight(outcome)) wrong.push({ by: attempt.by, values, ...shown(outcome) });
        }
      }
      expect(wrong).toEqual([]);
      expect(await changedSince(before, app, tenant)).toEqual([]);
    });

    it('opens to each of its scopes alone', async () => {
      const outcomes: Record<string, Outcome[]> = {};
      for (const scope of door.opening ?? ['analytics.view']) {
        outcomes[scope] = await outcomesWith(world(), door, scope);
      }
      const refused = Object.entries(outcomes).filter(([, tried]) => tried.every(isRefused));
      expect(refused).toEqual([]);
      // Where a kind of document is not there to be found, another one shows what an answer looks like.
      if (!door.root.isPublic && !Object.values(outcomes).flat().some(isSuccess)) {
        expect(outcomes).toBe('one success at least');
      }
    });
  });
}

const isSuccess = ({ status }: Outcome): boolean => status < 300;
const isRefused = ({ status }: Outcome): boolean => status === 401 || status === 403 || status >= 500;

const shown = ({ data, ...outcome }: Outcome) => ({
  ...outcome,
  data: JSON.stringify(data ?? null).slice(0, 300),
});

const preparedCalls = async (world: World, door: Door): Promise<Prepared[]> =>
  Promise.all((await variantsOf(world, door.root)).map((variant) => prepare(world, door.root, variant)));

type Callers = { lacking: Caller; neighbour: Caller; elsewhere: Caller };

/** Those who must not come in, with credentials of the kind that the door is used with. */
async function callersOf(world: World, { root, takesKeys, isRest }: Door): Promise<Callers> {
  const { callers, elsewhere } = world;
  const isChange = root.operation === 'mutation';
  if (takesKeys && isRest) {
    return {
      lacking: await callers.keyWithout(root.anyOf ?? []),
      neighbour: keyCaller((isChange ? world.neighbour : world.reader).adminKey),
      elsewhere: keyCaller(elsewhere.key),
    };
  }
  return {
    lacking: await callers.account(without(root.anyOf ?? [])),
    neighbour: await (isChange ? world.neighbours : world.readers).account(everything),
    elsewhere: await callers.account(everything, elsewhere.workspaceId),
  };
}

type Ground = { calls: Prepared[]; callers: Callers; stored: Record<string, string> };

function attemptsAt(world: World, door: Door, { calls, callers, stored }: Ground): Attempt[] {
  const { anyOf, isPublic } = door.root;
  const one = calls.slice(0, 1);
  const attempt = (by: string, caller: Caller, isRight: Attempt['isRight']) => ({
    by,
    caller,
    calls: one,
    isRight,
  });
  const isKeyRefused = ({ status, code }: Outcome) =>
    door.takesKeys ? status === 403 : status === 401 && code === 'AB05';
  const keys =
    !door.takesKeys || refusesKeys(anyOf) ? [world.tenant.adminKey, world.tenant.workspaceKey] : [];
  return [
    ...(isPublic ? [] : [attempt('nobody', nobody, ({ status }) => status === 401)]),
    ...(anyOf === null
      ? []
      : [
          attempt(
            'a credential with all other scopes',
            callers.lacking,
            ({ status, message }) => status === 403 && message === lacksAll(anyOf),
          ),
        ]),
    ...keys.map((key) => attempt('a gateway key', keyCaller(key), isKeyRefused)),
    outsider('a neighbour', callers.neighbour, door, calls, idsIn(stored)),
    outsider('another workspace', callers.elsewhere, door, calls, idsOfWorkspace(world, stored)),
  ];
}

/** Whoever may everything, but not here: no id of these may come out, and a change that names one is refused. */
function outsider(by: string, caller: Caller, door: Door, calls: Prepared[], ids: string[]): Attempt {
  const isChange = door.root.operation === 'mutation';
  const names = (text: string) => ids.filter((id) => text.includes(id));
  const sent = calls.filter(({ values }) => !isChange || names(JSON.stringify(values)).length > 0);
  const known = sent.flatMap(({ values }) => names(JSON.stringify(values)));
  return {
    by,
    caller,
    calls: sent,
    isRight: ({ status, message, data }) =>
      status < 500 &&
      (status >= 400 || !isChange) &&
      names(JSON.stringify(data ?? null)).length === 0 &&
      names(message).every((id) => known.includes(id)),
  };
}

const idsIn = (stored: Record<string, string>): string[] =>
  Object.keys(stored).map((name) => name.split(' ')[1] ?? '');

/** What belongs to the tenant's own workspace, and all workspaces beside the other one. */
const idsOfWorkspace = ({ tenant, elsewhere }: World, stored: Record<string, string>): string[] =>
  idsIn(
    Object.fromEntries(
      Object.entries(stored).filter(
        ([name, text]) =>
          text.includes(`"workspaceId":"${tenant.workspaceId}"`) ||
          (name.startsWith('workspaces ') && !name.endsWith(elsewhere.workspaceId)),
      ),
    ),
  );

/** How the calls end for credentials that hold the one scope; no more of them once one has succeeded. */
async function outcomesWith(world: World, door: Door, scope: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const caller of await callersWith(world, door, scope)) {
    for (const variant of await variantsOf(world, door.root)) {
      const { values } = await prepare(world, door.root, variant);
      const outcome = await door.call(world.app, values, caller);
      outcomes.push(outcome);
      if (isSuccess(outcome)) return outcomes;
    }
  }
  return outcomes;
}

async function callersWith({ callers, tenant }: World, door: Door, scope: string): Promise<Caller[]> {
  if (door.root.isPublic) return [nobody];
  const beside = companions[door.root.coordinate]?.scopes ?? [];
  const key = door.takesKeys && door.isRest ? await callers.key(scope, beside) : null;
  if (key) return [key];
  const permissions = [scope, ...beside];
  return [await callers.account(permissions), await callers.account(permissions, tenant.workspaceId)];
}
