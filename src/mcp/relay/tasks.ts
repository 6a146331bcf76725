import { isObject, type JsonObject } from '../../lib/json.ts';
import { callerKey } from '../exchange/caller.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { TaskSeal } from '../session/index.ts';
import { type McpServerRecord, placeOf } from '../snapshot/index.ts';
import type { Era } from '../upstream/index.ts';
import type { RelayCall } from './call.ts';

/** A task as its caller and as its server name it. */
export type KnownTask = { shown: string; own: string; tool: string };

/** Requests about tasks, by the era that has them. */
const methods: Readonly<Record<Era, ReadonlySet<string>>> = {
  legacy: new Set(['tasks/get', 'tasks/result', 'tasks/cancel']),
  modern: new Set(['tasks/get', 'tasks/update', 'tasks/cancel']),
};

/** Whether a method is about a task in an era. `tasks/list` is left out: what it names need not be its caller's. */
export const isAboutTask = (method: string, era: Era): boolean => methods[era].has(method);

const RELATED = 'io.modelcontextprotocol/related-task';

const unknown = (): RpcFailure => new RpcFailure(rpc.invalidParams, 'Unknown task');

/**
 * The task that a request is about. Throws an RpcFailure, one and the same for one that is not there, somebody else's, of another
 * server, or of a tool that is kept back.
 */
export function taskOf(
  { caller }: Pick<McpVisit, 'caller'>,
  server: McpServerRecord,
  { taskId }: JsonObject,
  tasks: TaskSeal,
): KnownTask {
  const place = typeof taskId === 'string' ? tasks.open(taskId) : null;
  const isOwn = place !== null && place.caller === callerKey(caller) && place.serverId === server.id;
  if (!isOwn || !server.byPlace.has(placeOf('tool', place.tool))) throw unknown();
  return { shown: String(taskId), own: place.id, tool: place.tool };
}

/** A result with ids of tasks as the caller may know them; the same object where it has none. */
export function withShownTasks(call: RelayCall, result: JsonObject, tasks: TaskSeal): JsonObject {
  const { visit, server, method, facts, task } = call;
  if (task) return relabelled(result, task);
  if (method !== 'tools/call') return result;
  const shownOf = (id: string) =>
    tasks.seal({ caller: callerKey(visit.caller), serverId: server.id, tool: facts.subject ?? '', id });
  if (result.resultType === 'task' && typeof result.taskId === 'string')
    return { ...result, taskId: shownOf(result.taskId) };
  if (isObject(result.task) && typeof result.task.taskId === 'string')
    return { ...result, task: { ...result.task, taskId: shownOf(result.task.taskId) } };
  return result;
}

/** What a server says about a task, with its id as the caller knows it. */
export function relabelled(value: JsonObject, { own, shown }: KnownTask): JsonObject {
  const isNamed = value.taskId === own;
  const meta = isObject(value._meta) ? value._meta : {};
  const related = meta[RELATED];
  const isRelated = isObject(related) && related.taskId === own;
  if (!isNamed && !isRelated) return value;
  return {
    ...value,
    ...(isNamed && { taskId: shown }),
    ...(isRelated && { _meta: { ...meta, [RELATED]: { ...related, taskId: shown } } }),
  };
}
