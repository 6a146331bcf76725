import type { ComponentType } from 'react';
import type { IconName } from '../ui/index.ts';
import type { RangeName } from './range.ts';

/** What the module of a page exports. */
export type PageModule = {
  default: ComponentType;
  /** One thing of the page, at `<path>/<id>`. */
  Detail?: ComponentType<{ id: string }>;
};

export type PageEntry = {
  /** Below the workspace in the address. */
  path: string;
  label: string;
  icon: IconName;
  group: 'Observe' | 'Build' | 'Govern' | '';
  /** After `g`. */
  key?: string;
  /** Any of these lets somebody see the page; without them it is for everybody who is signed in. */
  scopes: readonly string[];
  /** Whether the range of the top bar is about it. */
  hasRange?: boolean;
  /** The range where the address names none; a day unless given. */
  usualRange?: RangeName;
  hasDetail?: boolean;
  load(): Promise<PageModule>;
};
