/** What one operation of the graph may take, unless the settings say otherwise. */
export const defaultGraphLimits = {
  maxDepth: 20,
  maxCost: 100_000,
  /** Milliseconds. */
  timeout: 30_000,
};
