import { GatewayError } from '../../src/errors/index.ts';

const maxParameters = 1000;

/** The parameters of a query string, decoded and in order. */
export function readQuery(query: string): [name: string, text: string][] {
  if (query === '') return [];
  const parts = query.split('&', maxParameters + 1).filter((part) => part !== '');
  if (parts.length > maxParameters) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: `The query string has more than ${maxParameters} parameters.`,
    });
  }
  return parts.map((part) => {
    const equals = part.indexOf('=');
    return equals < 0 ? [decode(part), ''] : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))];
  });
}

/** Reads `ids[]` and `ids[0]` as the list parameter `ids`; any other name stays as it is. */
export function listName(name: string): { name: string; bracketed: boolean } {
  const base = /^([^[\]]+)\[\d{0,4}\]$/.exec(name)?.[1];
  return base === undefined ? { name, bracketed: false } : { name: base, bracketed: true };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'The query string is not percent-encoded UTF-8.',
      cause,
    });
  }
}
