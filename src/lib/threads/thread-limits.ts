import { setFlagsFromString } from 'node:v8';
import type { ResourceLimits } from 'node:worker_threads';

/**
 * The `resourceLimits` of a worker thread, made to hold: `--max-semi-space-size`, with which `npm start` sets the young
 * generation of the main thread, would override theirs. The main thread's heap is laid out by then and keeps its own.
 */
export function threadLimits(limits: ResourceLimits): ResourceLimits {
  setFlagsFromString('--max-semi-space-size=0');
  return limits;
}
