import { readFileSync } from 'node:fs';
import type { OpenApi } from '../../rest-compat/openapi/document.ts';
import type { Operations } from '../../rest-compat/types.generated.ts';
import type { TestApp } from './app.ts';

type Name = keyof Operations;

type Input<N extends Name> = { parameters?: Operations[N]['parameters'] } & (Operations[N] extends {
  body: infer Body;
}
  ? { body: Body }
  : { body?: never });

const published = new URL('../../rest-compat/published.json', import.meta.url);

/** Calls REST operations by name, typed as they are published; throws when one does not succeed. */
export function operationsOf(app: TestApp, key: string) {
  const { paths }: OpenApi = JSON.parse(readFileSync(published, 'utf8'));
  const places = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => ({ path, method, operationId })),
  );
  return async <N extends Name>(
    name: N,
    { parameters = {}, body }: Input<N>,
  ): Promise<Operations[N]['answer']> => {
    const place = places.find(({ operationId }) => operationId === name);
    const query = new URLSearchParams();
    let target = place?.path ?? '';
    for (const [parameter, value] of Object.entries(parameters)) {
      const placeholder = `{${parameter}}`;
      if (target.includes(placeholder))
        target = target.replace(placeholder, encodeURIComponent(String(value)));
      else query.set(parameter, String(value));
    }
    const answer = await app.rest(place?.method.toUpperCase() ?? '', `${target}?${query}`, { key, body });
    if (answer.status >= 300) throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Operations[N]['answer'];
  };
}
