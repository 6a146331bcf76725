import { createContext, useContext } from 'react';

/** Slug of the workspace that the page is about; null for all that the viewer reaches. */
export const WorkspaceContext = createContext<string | null>(null);

export const useWorkspace = (): string | null => useContext(WorkspaceContext);
