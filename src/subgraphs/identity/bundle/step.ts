import type { BundleChange } from '../../types.generated.ts';
import type { Parsed } from './documents.ts';
import type { Kind } from './kind.ts';
import type { Stored } from './stored.ts';

/** What an apply does to one resource. */
export type Step = {
  change: BundleChange;
  kind: Kind;
  document: Parsed | null;
  stored: Stored | null;
  /** Members of the spec that differ. */
  changed: ReadonlySet<string>;
};
