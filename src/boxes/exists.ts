import { access } from 'node:fs/promises';

/** Whether there is something under a path. */
export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
