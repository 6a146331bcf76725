/** What the settings have to fit: the parts of the house that they may name. */
export type House = {
  /** True for a kind of provider that there is, such as `openai`. */
  isKnownProvider(name: string): boolean;
  /** True for a subgraph that this program brings. */
  isBuiltInSubgraph(name: string): boolean;
};

/** For programs that want a setting or two and do without the house: such names are taken as they are. */
export const anyHouse: House = { isKnownProvider: () => true, isBuiltInSubgraph: () => false };
