import { modelParameters } from '../../providers/native-api.ts';

/** Some providers accept the name of a parameter in upper case as well. */
const isModel = ([name]: [string, string]): boolean => modelParameters.includes(name.toLowerCase());

/** The models that a query names, however it is spelled. */
export const modelsInQuery = (query: string): string[] =>
  query === '' ? [] : [...new URLSearchParams(query)].filter(isModel).map(([, model]) => model);

/** A query that names this model, once, and no other. */
export function withModel(query: string, model: string | null): string {
  if (model === null) return query;
  const others = [...new URLSearchParams(query)].filter((pair) => !isModel(pair));
  return [['model', model], ...others].map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}
