/** The parts of the program that settings may name; the settings are checked against them. */
export type House = {
  /** True for a kind of provider that there is, such as `openai`. */
  isKnownProvider(name: string): boolean;
  /** True for a subgraph that this program brings. */
  isBuiltInSubgraph(name: string): boolean;
};

/** For programs that need few settings and load nothing of the service: they accept such names unchecked. */
export const anyHouse: House = { isKnownProvider: () => true, isBuiltInSubgraph: () => false };
