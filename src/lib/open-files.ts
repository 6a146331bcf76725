import { readFileSync } from 'node:fs';

/** The limit where the system does not tell it: the least that macOS allows a process, once Node has raised it. */
const USUAL_LIMIT = 10_240;

/** Files and connections that this process may have open at a time. */
export function maxOpenFiles(): number {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Only Linux has this file.
    return USUAL_LIMIT;
  }
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? USUAL_LIMIT : Number(soft);
}
