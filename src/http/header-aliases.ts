import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Listener } from './listener.ts';

const canonicalPrefix = 'x-gateway-';
/** Headers whose values are names of headers. */
const listsOfNames = ['x-gateway-forward-headers', 'x-gateway-sensitive-headers'];

export type HeaderAliases = {
  /** Renames headers from an alias to their canonical name, so that no other code knows of aliases. */
  adopt(request: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): void;
  /**
   * Wraps a listener: its requests get canonical names, and its answers carry the gateway's headers under every alias
   * too.
   */
  around(listener: Listener): Listener;
};

/** Further spellings of `x-gateway-`, so that SDKs made for other gateways work unchanged; prefixes in lower case. */
export function createHeaderAliases(prefixes: readonly string[]): HeaderAliases {
  if (prefixes.length === 0) return { adopt: () => undefined, around: (listener) => listener };
  const inList = new RegExp(`(?<![\\w-])(${prefixes.join('|')})`, 'gi');

  const canonicalOf = (name: string): string | null => {
    const prefix = prefixes.find((alias) => name.startsWith(alias));
    return prefix === undefined ? null : canonicalPrefix + name.slice(prefix.length);
  };

  function adopt({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): void {
    for (const name of Object.keys(headers)) {
      const canonical = name.startsWith('x-') ? canonicalOf(name) : null;
      if (canonical === null) continue;
      // If a request has several of these names, the canonical one wins, then the alias that came first.
      headers[canonical] ??= headers[name];
      delete headers[name];
    }
    for (const name of listsOfNames) {
      const value = headers[name];
      if (typeof value === 'string') headers[name] = value.replace(inList, canonicalPrefix);
    }
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const canonical = canonicalOf((rawHeaders[index] ?? '').toLowerCase());
      if (canonical !== null) rawHeaders[index] = canonical;
    }
  }

  /** `headers`: names and values in turn, as `writeHead` takes them. */
  function withAliases(headers: unknown[]): unknown[] {
    const nameAt = (index: number) => String(headers[index - (index % 2)]).toLowerCase();
    const aliases = new Map<string, unknown>();
    for (let index = 0; index < headers.length; index += 2) {
      const name = nameAt(index);
      if (!name.startsWith(canonicalPrefix)) continue;
      for (const prefix of prefixes) {
        aliases.set(prefix + name.slice(canonicalPrefix.length), headers[index + 1]);
      }
    }
    // A provider that is such a gateway has already set headers of these names.
    const others = headers.filter((_, index) => !aliases.has(nameAt(index)));
    return [...others, ...[...aliases].flat()];
  }

  /** Every answer passes `writeHead`: Node calls it for an answer that only sets headers and writes. */
  function mirror(response: ServerResponse): void {
    const { writeHead } = response;
    response.writeHead = (...given: unknown[]) => {
      for (const name of response.getHeaderNames()) {
        if (!name.startsWith(canonicalPrefix)) continue;
        for (const prefix of prefixes) {
          response.setHeader(prefix + name.slice(canonicalPrefix.length), response.getHeader(name) ?? '');
        }
      }
      const headers = given.at(-1);
      if (typeof headers === 'object' && headers !== null) {
        given[given.length - 1] = withAliases(
          Array.isArray(headers) ? headers : Object.entries(headers).flat(),
        );
      }
      return Reflect.apply(writeHead, response, given);
    };
  }

  return {
    adopt,
    around: (listener) => (request, response) => {
      adopt(request);
      mirror(response);
      listener(request, response);
    },
  };
}
