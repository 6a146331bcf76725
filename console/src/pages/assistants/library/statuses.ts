import type { Tone } from '../../../ui/index.ts';

const tones: Readonly<Record<string, Tone>> = {
  completed: 'ok',
  failed: 'bad',
  expired: 'bad',
  cancelled: 'none',
  cancelling: 'warn',
};

/** How well a file, a store or a batch is off. */
export const toneOf = (status: string): Tone => tones[status] ?? 'info';

/** `in_progress` as `in progress`. */
export const wordOf = (status: string): string => status.replaceAll('_', ' ');

/** Milliseconds after which something is read again that has not come to its end. */
export const LOOK_AGAIN_MS = 2000;
