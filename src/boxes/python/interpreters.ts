import type { Logger } from '../../lib/logger.ts';
import type { Interpreter } from './interpreter.ts';
import type { StartInterpreter } from './start.ts';

/** Where interpreters come from. */
export type Interpreters = {
  /** A fresh one, which belongs to whoever takes it, and is closed by them. */
  take(signal: AbortSignal): Promise<Interpreter>;
  /** Closes the one that is kept ready. */
  stop(): Promise<void>;
};

export type InterpretersDeps = {
  start: StartInterpreter;
  /** Whether one is kept ready for the next one who asks, once somebody has asked. */
  keepsWarm: boolean;
  log: Logger;
};

/** Milliseconds for which one is kept ready while nobody asks. */
const WARM_MS = 20 * 60_000;
/** Milliseconds from taking one to making the next one ready: that takes half a second of a processor, which the first cell needs. */
const REST_MS = 500;

export function createInterpreters({ start, keepsWarm, log }: InterpretersDeps): Interpreters {
  let spare: Promise<Interpreter | null> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let rest: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function takeSpare(): Promise<Interpreter | null> {
    clearTimeout(timer);
    const taken = spare;
    spare = null;
    const found = await taken;
    return found?.isOpen ? found : null;
  }

  function prepare(): void {
    if (!keepsWarm || isStopped || spare) return;
    spare = start().catch((error) => {
      log.warn({ error }, 'No interpreter could be kept ready.');
      return null;
    });
    timer = setTimeout(() => closeSpare(), WARM_MS).unref();
  }

  async function closeSpare(): Promise<void> {
    await (await takeSpare())?.close();
  }

  return {
    async take(signal) {
      const interpreter = (await takeSpare()) ?? (await start(signal));
      clearTimeout(rest);
      rest = setTimeout(prepare, REST_MS).unref();
      return interpreter;
    },
    async stop() {
      isStopped = true;
      clearTimeout(rest);
      await closeSpare();
    },
  };
}
