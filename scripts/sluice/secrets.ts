import { readFile } from 'node:fs/promises';

type Environment = Readonly<Record<string, string | undefined>>;

/** The sources that stand anywhere in the documents: objects of one member, `env` or `file`. */
function* sourcesIn(value: unknown): Generator<{ kind: 'env' | 'file'; name: string }> {
  if (typeof value !== 'object' || value === null) return;
  const [[kind, name] = [], ...others] = Object.entries(value);
  if (others.length === 0 && (kind === 'env' || kind === 'file') && typeof name === 'string')
    yield { kind, name };
  for (const member of Object.values(value)) yield* sourcesIn(member);
}

/** The values of sources, under `env:NAME` and `file:path`; a variable that is not set has none. */
export async function secretValues(
  documents: readonly unknown[],
  env: Environment,
): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const { kind, name } of sourcesIn(documents)) {
    const value = kind === 'env' ? env[name] : (await readFile(name, 'utf8')).replace(/\r?\n$/, '');
    if (value) values[`${kind}:${name}`] = value;
  }
  return values;
}
