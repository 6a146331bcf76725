/** Names under which a model may stand in the catalogue, the most exact first: as it is, then with less and less around it. */
export function modelNames(model: string): string[] {
  const names = [withoutSlug(decoded(model))];
  for (const shorten of shortenings) {
    const shorter = shorten(names.at(-1) ?? '');
    if (shorter !== '' && !names.includes(shorter)) names.push(shorter);
  }
  return names;
}

function decoded(model: string): string {
  try {
    return decodeURIComponent(model);
  } catch {
    // A percent sign that encodes nothing is part of the name.
    return model;
  }
}

/** `@slug/model` names a provider of the workspace before the model. */
const withoutSlug = (model: string): string => model.replace(/^@[^/]+\//, '');

const shortenings: ((name: string) => string)[] = [
  // What OpenAI calls a model that was tuned: the catalogue has prices of its own for those.
  (name) => name.replace(/^ft:([^:]+):.*$/, '$1.ft-'),
  // The resource names of Bedrock and of Vertex end in the model.
  (name) =>
    /^arn:|^(projects|publishers|models)\//.test(name) ? name.slice(name.lastIndexOf('/') + 1) : name,
  (name) => name.replace(/^[a-z-]+\//, ''),
  (name) => name.replace(/^(us|us-gov|eu|apac|jp|au|ca|sa|in|me|af|global)\./, ''),
  // `claude-sonnet-4@20250514`, `gpt-4o-2024-08-06`, `claude-sonnet-4-20250514`, `gemini-2.0-flash-001`
  (name) => name.replace(/[@-](20\d{2}-?\d{2}-?\d{2}|\d{3}|latest)$/, ''),
];
