import { hash } from 'node:crypto';
import { takeRandomBytes } from '../lib/ids.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = DIGITS.length;

/** Characters of a time in milliseconds: enough until the year 8888. */
const TIME = 8;
/** Characters of a place among ids of the same millisecond. */
const PLACE = 4;
/** Characters that tell ids of the same place apart. */
const REST = 12;

/** The places that one turn of a run has for what it makes. */
const PLACES_OF_TURN = 4096;

let lastTime = 0;
let count = 0;

/**
 * An id that sorts by the time at which it was made, within a process also among those of one millisecond, since lists
 * break ties by id.
 */
export function timeOrderedId(prefix: string): string {
  const now = Date.now();
  count = now > lastTime ? 0 : count + 1;
  lastTime = Math.max(now, lastTime);
  return `${prefix}_${digits(lastTime, TIME)}${digits(count, PLACE)}${letters(takeRandomBytes(REST))}`;
}

/** An id without order: those of threads are what a sharded store is divided by. */
export const randomId = (prefix: string): string => `${prefix}_${letters(takeRandomBytes(24))}`;

/**
 * The id of what a turn of a run makes at a place. It follows from these alone, so that a turn which is done again writes
 * the same documents.
 */
export function turnId(prefix: string, runId: string, turn: number, place: number): string {
  const time = runId.slice(runId.indexOf('_') + 1).slice(0, TIME);
  const order = digits(turn * PLACES_OF_TURN + place, PLACE);
  const digest = hash('sha256', `${prefix} ${runId} ${turn} ${place}`, 'buffer');
  return `${prefix}_${time}${order}${letters(digest.subarray(0, REST))}`;
}

function digits(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / BASE))
    text = DIGITS[rest % BASE] + text;
  return text;
}

function letters(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += DIGITS[byte % BASE];
  return text;
}
