import { trials } from '../programs/python/run-cell.ts';
import type { Interpreter } from './interpreter.ts';

/**
 * How often each trial runs. What runs often is compiled once more by the engine of the box, which takes about a second of a
 * processor: after a few dozen rounds nothing of that is left for the cells of whoever takes the interpreter.
 */
const ROUNDS = 60;
const never = new AbortController().signal;

/**
 * Runs cells of ours in an interpreter that nobody has yet, until it is quick or somebody wants it. They leave nothing behind
 * that a later cell could see.
 */
export async function warmUp(interpreter: Pick<Interpreter, 'run'>, isWanted: () => boolean): Promise<void> {
  const run = (code: string) => interpreter.run(code, () => {}, never);
  const cells = Array.from({ length: ROUNDS }, () => trials).flat();
  for (const cell of cells) {
    if (isWanted()) break;
    await run(cell);
  }
  // An empty one takes the text of the others out of the lines that errors show.
  await run('');
}
