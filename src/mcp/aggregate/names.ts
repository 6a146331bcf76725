import { createHash } from 'node:crypto';

/** Characters that providers of models take for the name of a function. */
const MAX_NAME = 64;
const KEPT = 55;

/** The name of a tool or prompt among those of all servers. One that is too long ends in what tells it from others. */
export function sharedName(slug: string, name: string): string {
  const whole = `${slug}__${name}`;
  if (whole.length <= MAX_NAME) return whole;
  const mark = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  return `${whole.slice(0, KEPT)}_${mark}`;
}
