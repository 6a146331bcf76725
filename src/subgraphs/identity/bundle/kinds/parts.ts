import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import { DEFAULT_WORKSPACE, type SpecPath, type SpecReference } from '../kind.ts';

export const slugText = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-zA-Z0-9_-]+$/, 'may have letters, digits, _ and -');
export const nameText = z.string().min(1).max(255);
export const textUpTo = (length: number) => z.string().max(length).nullable().default(null);
export const tags = z.record(z.string().max(255), z.string().max(1024)).default({});
/** In the spelling in which the graph answers it. */
export const moment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .nullable()
  .default(null);
export const jsonObject = z.record(z.string(), z.json());

type WorkspaceNode = { slug: string; isDefault: number } | null | undefined;

export const workspaceSelection = 'workspace { slug isDefault }';

/** What documents call a workspace; null for none. */
export const workspaceName = (node: unknown): string | null => {
  const workspace = node as WorkspaceNode;
  if (!workspace) return null;
  return workspace.isDefault ? DEFAULT_WORKSPACE : workspace.slug;
};

export const workspaceNames = (nodes: unknown): string[] =>
  (nodes as WorkspaceNode[]).flatMap((node) => workspaceName(node) ?? []).sort();

/** The workspaces that a member of a spec names, alone or in a list. */
export const workspaceReferences = (spec: JsonObject, member: string): SpecReference[] => {
  const value = spec[member];
  if (value === null || value === undefined) return [];
  const place = (key: unknown, path: SpecPath): SpecReference => ({
    kind: 'Workspace',
    key: String(key),
    path,
  });
  return Array.isArray(value)
    ? value.map((key, index) => place(key, [member, index]))
    : [place(value, [member])];
};
