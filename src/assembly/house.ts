import { isKnownProvider } from '../providers/index.ts';
import type { House } from '../settings/house.ts';
import { subgraphs } from '../subgraphs/index.ts';

/** This program, as its settings may name parts of it. */
export const house: House = {
  isKnownProvider,
  isBuiltInSubgraph: (name) => subgraphs.some((own) => own.name === name),
};
