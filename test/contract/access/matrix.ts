import { afterEach, describe, expect, it } from '@jest/globals';
import { type Caller, inApiKey, keyCaller, nobody } from './callers.ts';
import type { Door, Outcome } from './doors.ts';
import { companions, stateful } from './hints.ts';
import { type Attempt, outsidersAt } from './outsiders.ts';
import { everything, lacksAll, refusesKeys, without } from './permissions.ts';
import { changedBetween } from './stored.ts';
import { type Prepared, prepare, variantsOf, type World } from './world.ts';

/**
 * What every operation promises, whatever it does: strangers are refused; so is a credential that holds everything but
 * the operation's own scopes; neither a neighbour nor another workspace sees or changes anything; and each of the scopes
 * opens it alone. The arguments are made from the schema, so that a new operation is walked unasked.
 */
export function describeAccessOf(doors: Door[], world: () => World): void {
  describe.each(doors.map((door) => [door.label, door] as const))('%s', (_label, door) => {
    afterEach(() => world().specimens.clear());

    it('is closed to all but its own, and nothing changes', async () => {
      const { app, stored } = world();
      const calls = await preparedCalls(world(), door);
      const callers = await callersOf(world(), door);
      const before = await stored();
      const wrong = [];
      for (const { by, caller, calls: tried, isRight } of [
        ...strangersAt(world(), door, callers, calls),
        ...outsidersAt(world(), door, { calls, callers, stored: before }),
      ]) {
        for (const { values } of tried) {
          const outcome = await door.call(app, values, caller);
          if (!isRight(outcome)) wrong.push({ by, values, ...shown(outcome) });
        }
      }
      expect(wrong).toEqual([]);
      expect(changedBetween(before, await stored())).toEqual([]);
    });

    it('opens to each of its scopes alone', async () => {
      const outcomes: Record<string, Outcome[]> = {};
      for (const scope of door.opening ?? ['analytics.view']) {
        outcomes[scope] = await outcomesWith(world(), door, scope);
      }
      const refused = Object.entries(outcomes).filter(([, tried]) => tried.every(isRefused));
      expect(refused).toEqual([]);
      // Where a kind of document is not there to be found, another one shows what an answer looks like.
      const isWanted = door.root.coordinate in stateful ? isToldOfState : isSuccess;
      if (!door.root.isPublic && !Object.values(outcomes).flat().some(isWanted)) {
        expect(outcomes).toBe('one success at least');
      }
    });
  });
}

const isSuccess = ({ status }: Outcome): boolean => status < 300;
const isToldOfState = ({ status, message }: Outcome): boolean =>
  (status === 400 &&
    /this one is|is expired|not available here|with status 'failed'|in status "failed"/.test(message)) ||
  (status === 404 && /is no secret of a key|has counted nothing|has no connection|offers no/.test(message));
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

/** Those who must not come in at all, with the first of the calls. */
function strangersAt(
  { tenant }: World,
  { root, takesKeys, isRest }: Door,
  { lacking }: Callers,
  calls: Prepared[],
) {
  const { anyOf, isPublic } = root;
  const attempts: Attempt[] = [];
  const add = (by: string, caller: Caller, isRight: Attempt['isRight']) =>
    attempts.push({ by, caller, calls: calls.slice(0, 1), isRight });

  if (!isPublic) add('nobody', nobody, ({ status }) => status === 401);
  if (anyOf) {
    const isRefused = ({ status, message }: Outcome) => status === 403 && message === lacksAll(anyOf);
    add('a credential with all other scopes', lacking, isRefused);
    if (takesKeys && isRest) add('the same in x-api-key', inApiKey(lacking), isRefused);
  }
  for (const key of [tenant.adminKey, tenant.workspaceKey]) {
    if (isPublic) continue;
    for (const caller of [keyCaller(key), inApiKey(keyCaller(key))]) {
      if (!takesKeys) add('a key', caller, ({ status, code }) => status === 401 && code === 'AB05');
      else if (refusesKeys(anyOf)) add('a key', caller, ({ status }) => status === 403);
    }
  }
  return attempts;
}

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
