import { isKnownProvider } from '../providers/index.ts';
import type { House } from '../settings/house.ts';
import { subgraphs } from '../subgraphs/index.ts';

/** The parts of this program that its settings may name. */
export const house: House = {
  isKnownProvider,
  isBuiltInSubgraph: (name) => subgraphs.some((own) => own.name === name),
};
