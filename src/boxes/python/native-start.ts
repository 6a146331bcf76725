import { Box, type BoxLaunch } from '../box.ts';
import { nativeCommand } from './bubblewrap.ts';
import { Interpreter } from './interpreter.ts';
import type { StartInterpreter } from './start.ts';

const MEMORY_BYTES = 512 * 1024 * 1024;
/** Milliseconds within which a program is ready; a busy machine takes long. */
const START_MS = 30_000;

/** Starts interpreters that are this machine's own Python, in bubblewrap. */
export function createNativeStart(python: string): StartInterpreter {
  const launch: BoxLaunch = { command: nativeCommand(python), memoryBytes: MEMORY_BYTES };
  return async (signal) => {
    const box = new Box(launch);
    await box.ready(START_MS, signal);
    return new Interpreter(box);
  };
}
