/** Gives a place back. */
export type Release = () => void;

/** As many places as `count` says; workspaces that wait for one take turns. */
export function createSlots(count: number) {
  const waiting = new Map<string, (() => void)[]>();
  let free = count;

  function grant(): void {
    const [first] = waiting;
    if (free === 0 || !first) return;
    const [workspaceId, line] = first;
    // Whoever had a turn waits behind all the others.
    waiting.delete(workspaceId);
    const begin = line.shift();
    if (line.length > 0) waiting.set(workspaceId, line);
    free--;
    begin?.();
  }

  return {
    take: (workspaceId: string): Promise<Release> =>
      new Promise((resolve) => {
        const release = () => {
          free++;
          grant();
        };
        const line = waiting.get(workspaceId) ?? [];
        line.push(() => resolve(release));
        waiting.set(workspaceId, line);
        grant();
      }),
  };
}

export type BatchSlots = ReturnType<typeof createSlots>;
