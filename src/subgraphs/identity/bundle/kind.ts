import type { z } from 'zod';
import type { JsonObject } from '../../../lib/json.ts';
import type { BundleKind } from '../../types.generated.ts';

/** DocumentNames of members and indexes, from the outside in. */
export type SpecPath = readonly (string | number)[];

/** What is to be told of other resources by what documents call them. */
export type DocumentNames = {
  /** What operations call a workspace. */
  workspace(slug: string): string;
  /** What operations call a workspace, and null for none. */
  workspaceOrNone(slug: unknown): string | null;
  /** What documents call a config that was named by id or slug. */
  config(named: string): string;
  /** Of the tenant that the credential administers; empty where it administers none. */
  tsgId: string;
  serviceAccountDomain: string;
};

/** A resource as it is stored, in the words of documents. */
export type Present = {
  id: string;
  slug: string;
  spec: JsonObject;
  /** What stands for each stored secret, by place. */
  masks: ReadonlyMap<string, string>;
  /** What the graph answered. */
  node: JsonObject;
};

export type RunField = <T = JsonObject>(document: string, variables: Record<string, unknown>) => Promise<T>;

/** A write of one resource. Its spec has values in the place of sources. */
export type Write = { run: RunField; names: DocumentNames; slug: string; spec: JsonObject };

/** What is wrong with a member of a spec; the message goes on after its name. */
export type Problem = { path: SpecPath; message: string };

export type SpecReference = { kind: BundleKind; key: string; path: SpecPath };

/** A kind of document: how its resources are read and written by the operations of the graph. */
export type Kind = {
  name: BundleKind;
  /** What a spec may have, with its bounds and defaults. */
  spec: z.ZodObject;
  /** What its slugs look like; letters, digits, _ and - where absent. */
  slug?: RegExp;
  /** Members that an update cannot change. */
  fixed: readonly string[];
  /** Members that a write of another resource may change too. */
  shared?: readonly string[];
  /** Members of the type that `read` looks at. */
  selection: string;
  /** The list, with `$page`, and how many items a page has; one of a single workspace has `$workspaceId` too. */
  list: { field: string; pageSize: number; isByWorkspace?: true };
  /** The field that answers one of them by `$id`. */
  one: string;
  /** The slug in documents, null where the resource has none of its own, and the spec with masks for secrets. */
  read(node: JsonObject, names: DocumentNames): { slug: string | null; spec: JsonObject } | null;
  /** A slug for a resource that has none, of its spec. */
  slugOf?(spec: JsonObject): string;
  /** True where two resources cannot have the same spec: an equal one is adopted whatever it is called. */
  isUniqueBySpec?: true;
  references?(spec: JsonObject): SpecReference[];
  /** False where what it refers to does not let it be made any more; `integration` is null where it may not be seen. */
  isPossible?(spec: JsonObject, integration: JsonObject | null): boolean;
  /** The places of secrets in a spec, by the names of members. */
  secrets?(spec: JsonObject): SpecPath[];
  /** Further problems of a spec, each with its place. */
  check?(spec: JsonObject): Problem[];
  /** Why an update is not possible. */
  checkUpdate?(spec: JsonObject, before: JsonObject): Problem[];
  create(write: Write): Promise<{ id: string; secret?: string }>;
  /** Changes the members that are named; answers the new id where the resource had to be replaced. */
  update(write: Write, present: Present, changed: ReadonlySet<string>): Promise<string | undefined>;
  remove(run: RunField, present: Present): Promise<unknown>;
};

export const DEFAULT_WORKSPACE = 'default';

/** What tells documents of one kind apart. */
export const keyOf = ({ name }: Pick<Kind, 'name'>, slug: string, spec: JsonObject): string =>
  name === 'Provider' ? `${spec.workspace}/${slug}` : slug;

export const pathText = (path: SpecPath): string =>
  path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');

/** The members of a write that have changed. */
export const changedOf = (
  spec: JsonObject,
  changed: ReadonlySet<string>,
  names: readonly string[],
): JsonObject =>
  Object.fromEntries(names.filter((name) => changed.has(name)).map((name) => [name, spec[name]]));
