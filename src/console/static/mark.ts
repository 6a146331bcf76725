import type { Stats } from 'node:fs';

/** By what a file is told from one that a later build has put in its place. */
export const markOf = ({ ino, mtimeMs, size }: Stats): string => `${ino} ${mtimeMs} ${size}`;
