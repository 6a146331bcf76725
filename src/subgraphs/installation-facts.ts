import type { InstallationFeature, StorageKind, SubgraphState } from './types.generated.ts';

/** What this process knows of itself without asking anybody. */
export type RunningFacts = {
  version: string;
  startedAt: Date;
  workers: number;
  retention: { logDays: number; bodyDays: number };
  features: InstallationFeature[];
  databaseUp: boolean;
  logQueue: { waiting: number; written: number; spooled: number; dropped: number };
  subgraphs: { name: string; isRemote: boolean; state: SubgraphState }[];
  publicUrl: string | null;
};

/** The installation that this process belongs to. What cannot change any more is asked of the database once. */
export type InstallationFacts = {
  running(): RunningFacts;
  /** The organisation that the first start has made; null on a database that nobody has seeded. */
  organisationId(): Promise<string | null>;
  /** Whether somebody owns that organisation. */
  hasOwner(): Promise<boolean>;
  storage(): Promise<StorageKind>;
};
