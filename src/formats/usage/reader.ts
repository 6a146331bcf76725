import type { JsonObject } from '../../lib/json.ts';
import type { TokenClasses } from './classes.ts';

/** What one provider's way of reporting usage comes to. */
export type Reading = {
  /** Tokens as the provider counted them, cached and written ones included; null where it did not say. */
  promptTokens: number | null;
  /** Reasoning included. */
  completionTokens: number | null;
  totalTokens: number | null;
  /** Null when the count is not final, so that nothing can be billed by it. */
  classes: TokenClasses | null;
  /** What changes the prices of the call, e.g. `flex`, `batch` or `fast`. */
  terms?: string[];
};

/** A way in which providers report usage, recognised by its members. */
export type UsageReader = {
  /** Names under which the report stands in an answer. */
  names: readonly string[];
  matches(report: JsonObject): boolean;
  read(report: JsonObject): Reading;
  /** Where the frames of a stream complete each other, instead of each saying all that is known: whether the last is there. */
  isWhole?(stream: string): boolean;
};
