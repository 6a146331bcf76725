import type { StatsFs } from 'node:fs';

/** What stays free on the disk for others, such as the store: so many bytes or, on a smaller one, this part of it. */
const SPARED_BYTES = 1024 * 1024 * 1024;
const SPARED_PART = 0.05;

/** Throws where what is left of a disk is for others than the log. */
export function requireSpace({ bavail, blocks, bsize }: StatsFs): void {
  if (bavail * bsize < Math.min(SPARED_BYTES, SPARED_PART * blocks * bsize))
    throw new Error('What is left of the disk is for others.');
}
