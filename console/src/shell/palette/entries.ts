import type { IconName } from '../../ui/index.ts';
import { pages } from '../pages.ts';

export type PaletteEntry = {
  id: string;
  label: string;
  icon: IconName;
  /** What kind of thing it is. */
  note: string;
  choose(): void;
};

/** Entries whose label has all words of a text, those that begin with it first. */
export function matching(entries: readonly PaletteEntry[], text: string): PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  return entries
    .filter(({ label, note }) => words.every((word) => `${label} ${note}`.toLowerCase().includes(word)))
    .sort((a, b) => Number(begins(b, first)) - Number(begins(a, first)));
}

const begins = ({ label }: PaletteEntry, word: string): boolean => label.toLowerCase().startsWith(word);

/** What a pasted text may be. */
export type Pasted = 'secret' | 'log' | 'config' | null;

export function kindOf(text: string): Pasted {
  if (/^sl-[\w-]{20,}$/.test(text)) return 'secret';
  if (/^pc-[\w-]+$/.test(text)) return 'config';
  if (/^[\w-]{16,}$/.test(text) && /\d/.test(text)) return 'log';
  return null;
}

/** Whether things of a page have an address of their own. */
export const hasPage = (path: string): boolean => pages.some((page) => page.path === path && page.hasDetail);
