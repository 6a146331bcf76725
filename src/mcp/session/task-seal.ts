import { isObject } from '../../lib/json.ts';
import type { Secrets } from '../../storage/secrets.ts';

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
export type TaskSeal = {
  seal(place: TaskPlace): string;
  /** Null for a text that is no id of ours. */
  open(text: string): TaskPlace | null;
};

const PREFIX = 'gwt_';
const OWNER = 'mcp task';
/** Characters of the longest id that is looked at. */
const MAX_LENGTH = 4096;

export function createTaskSeal(secrets: Pick<Secrets, 'encrypt' | 'decrypt'>): TaskSeal {
  return {
    seal: (place) => PREFIX + secrets.encrypt(JSON.stringify(place), OWNER).slice('v1.'.length),
    open(text) {
      if (!text.startsWith(PREFIX) || text.length > MAX_LENGTH) return null;
      try {
        const value: unknown = JSON.parse(secrets.decrypt(`v1.${text.slice(PREFIX.length)}`, OWNER));
        return isObject(value) ? (value as TaskPlace) : null;
      } catch {
        // Whatever was changed in it, it is no id of ours.
        return null;
      }
    },
  };
}
