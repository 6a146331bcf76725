import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { narrow, type Theme, wide } from '../support/visitor.ts';

/** Where pictures are kept. */
export const folder = process.env.SCREENSHOTS ?? 'coverage/console';
mkdirSync(folder, { recursive: true });

/** The themes and widths in which pages are looked at. */
export const looks = (['light', 'dark'] as Theme[]).flatMap((theme) =>
  [wide, narrow].map((size) => ({ theme, size, look: `${theme}-${size.width}` })),
);

export const fileOf = (name: string, look: string): string => join(folder, `${name}-${look}.png`);
