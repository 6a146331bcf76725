import type { Secrets } from '../../storage/secrets.ts';
import { createJsonSeal, type JsonSeal } from './json-seal.ts';

/** A long request of a caller that its server goes on with. */
export type TaskPlace = {
  /** Whose it is. */
  caller: string;
  serverId: string;
  /** The own name of the tool that was called. */
  tool: string;
  /** The id that the server gave it. */
  id: string;
};

/** Makes ids of tasks that tell nobody but their caller anything, and that any process can read. */
export type TaskSeal = JsonSeal<TaskPlace>;

export const createTaskSeal = (secrets: Pick<Secrets, 'encrypt' | 'decrypt'>): TaskSeal =>
  createJsonSeal(secrets, { prefix: 'gwt_', owner: 'mcp task', maxLength: 4096 });
