const acronyms = new Map([
  ['api', 'API'],
  ['mcp', 'MCP'],
  ['id', 'ID'],
]);

/** `createApiKey` or `api-key` as words: `Create API key`, `API key`. */
export function inWords(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_-]+/);
  const text = words.map((word) => acronyms.get(word) ?? word).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `api-key` -> `ApiKey`: the type that a file is named after. */
export const typeOfFile = (file: string): string =>
  file.replace(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase());
