import type { RunDocument } from '../../run.ts';
import type { Containers } from './containers.ts';

type Owner = { organisationId: string; workspaceId: string };

/** A stored file, as far as code needs it. */
export type CodeFile = { _id: string; filename: string; bytes: number; contentName: string };

/** The stored files of workspaces, as far as code needs them. */
export type CodeFiles = {
  find(owner: Owner, id: string): Promise<CodeFile | null>;
  open(file: CodeFile): Promise<{ bytes: number; read(): AsyncIterable<Uint8Array> } | null>;
  store(
    given: {
      owner: Owner;
      filename: string;
      purpose: 'assistants_output';
      expiresAt: null;
      createdBy: string;
    },
    content: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<CodeFile>;
};

export type CodeInterpreterDeps = {
  containers: Containers;
  files: CodeFiles;
  /** Whether code has the packages that are installed on this machine, or its standard library alone. */
  hasPackages: boolean;
  /** The ids of the files that the run's thread gives to code. */
  threadFiles(run: RunDocument): Promise<string[]>;
};
