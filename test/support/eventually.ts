import { setTimeout as wait } from 'node:timers/promises';

/** Tries again and again until the check passes; throws what it threw last when it does not within the milliseconds given. */
export async function eventually<T>(check: () => Promise<T>, within = 20_000): Promise<T> {
  const deadline = Date.now() + within;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await wait(50);
    }
  }
}
