import type { Logger } from '../../lib/logger.ts';
import type { Interpreter } from './interpreter.ts';
import type { StartInterpreter } from './start.ts';
import { warmUp } from './warm-up.ts';

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
/** Milliseconds from taking one to making the next one ready: that takes one to two seconds of a processor, which the first cell needs. */
const REST_MS = 500;

/** One that is kept ready, or is on its way; null where it could not be made. It is handed over soon once it is wanted. */
type Spare = { ready: Promise<Interpreter | null>; isWanted: boolean };

export function createInterpreters({ start, keepsWarm, log }: InterpretersDeps): Interpreters {
  let spare: Spare | null = null;
  let timer: NodeJS.Timeout | undefined;
  let rest: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function takeSpare(): Promise<Interpreter | null> {
    clearTimeout(timer);
    const taken = spare;
    spare = null;
    if (taken) taken.isWanted = true;
    const found = await taken?.ready;
    return found?.isOpen ? found : null;
  }

  async function startWarm(isWanted: () => boolean): Promise<Interpreter> {
    const interpreter = await start();
    await warmUp(interpreter, isWanted);
    return interpreter;
  }

  function prepare(): void {
    if (!keepsWarm || isStopped || spare) return;
    const made: Spare = { ready: Promise.resolve(null), isWanted: false };
    made.ready = startWarm(() => made.isWanted).catch((error) => {
      log.warn({ error }, 'No interpreter could be kept ready.');
      return null;
    });
    spare = made;
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
