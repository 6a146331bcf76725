import type { DialectAnswer } from './provider.ts';

type JsonAnswer = {
  status?: number;
  /** Further headers, in lower case. */
  headers?: Record<string, string>;
  /** What is written as JSON. */
  value: unknown;
};

/** A whole answer with a JSON body. */
export function jsonAnswer({ status = 200, headers, value }: JsonAnswer): DialectAnswer {
  const body = Buffer.from(JSON.stringify(value));
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json', 'content-length': String(body.length) },
    body,
  };
}
