// Loaded before a program (`--import`): its clock is ahead by the milliseconds in the file MOVED_CLOCK, in all its threads.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const RealDate = Date;
const now = RealDate.now;
/** Milliseconds between two looks at the file. */
const LOOK_MS = 20;
let ahead = 0;
let lookedAt = Number.NEGATIVE_INFINITY;

RealDate.now = () => {
  if (performance.now() - lookedAt > LOOK_MS) {
    lookedAt = performance.now();
    ahead = Number(readFileSync(process.env.MOVED_CLOCK, 'utf8'));
  }
  return now() + ahead;
};

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, made) =>
    Reflect.construct(target, args.length === 0 ? [target.now()] : args, made),
  apply: (target) => new target(target.now()).toString(),
});
