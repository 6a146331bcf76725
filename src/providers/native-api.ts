import { allProviders } from './index.ts';

/*
 * What all providers together say of their own APIs. A custom host may be any of them, whatever the provider of the call
 * is called, so that each form counts for every provider.
 */

const statements = allProviders.flatMap(({ nativeApi }) => nativeApi ?? []);
const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
const anyOf = (forms: readonly RegExp[], flags = ''): RegExp =>
  new RegExp(unique(forms.map(({ source }) => source)).join('|'), flags);

/** Where two forms fit at one place of a path, the one of the first provider by id counts. */
const modelPath = anyOf(
  statements.flatMap(({ modelPaths = [] }) => modelPaths),
  'i',
);
const cacheablePath = anyOf(statements.flatMap(({ cacheablePaths = [] }) => cacheablePaths));
const retryHints = unique(statements.flatMap(({ retryAfter = [] }) => retryAfter));

/** Characters of a model's name that are read out of a path. */
const MAX_MODEL_LENGTH = 256;

/** The model that a URL or path names in the form of a provider's own API; null where it names none. */
export function modelInPath(url: string): string | null {
  const found = modelPath.exec(url.split('?', 1)[0] ?? '');
  const model = found?.slice(1).find((group) => group !== undefined);
  return model?.slice(0, MAX_MODEL_LENGTH) ?? null;
}

/** Where an API may begin in front of such a path, e.g. `/v1`, `/openai/v1` or `/openai/deployments/gpt-4o`. */
const beginning = /^(?:\/(?:api|openai|anthropic|inference|v\d[\w.]*)(?=\/))*(?:\/deployments\/[^/]+(?=\/))?/;

/** A path without the part of it that only says where the API begins. */
export const pathBelowApi = (path: string): string => path.replace(beginning, '');

/** Whether a path, without where its API begins, asks a model in the form of a provider's own API and creates nothing. */
export const isCacheablePath = (path: string): boolean => cacheablePath.test(path);

/** Lower-case names by which a query names a model. */
export const modelParameters: readonly string[] = [
  'model',
  ...statements.flatMap(({ modelParameters: names = [] }) => names),
];

/** Members of bodies that hold data of the caller's own, in formats that only single providers have. */
export const dataMembers: readonly string[] = unique(
  statements.flatMap(({ dataMembers: names = [] }) => names),
);

/** Milliseconds that the body of a provider's error asks to wait; null where it does not say. */
export function retryHint(error: unknown): number | null {
  for (const hint of retryHints) {
    const wait = hint(error);
    if (wait !== null) return wait;
  }
  return null;
}
