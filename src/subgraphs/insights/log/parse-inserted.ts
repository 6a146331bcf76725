import { GatewayError, invalidInput } from '../../../errors/index.ts';

export type InsertedLog = {
  request: {
    url: string;
    provider: string | null;
    method: string;
    headers: Record<string, string>;
    /** JSON, or the text that it was. */
    body: unknown;
  };
  response: {
    status: number;
    headers: Record<string, string>;
    body: unknown;
    /** Milliseconds. */
    responseTime: number;
    streamed: boolean;
  };
  metadata: Record<string, string>;
};

const MAX_LOGS = 1000;

/** The logs of an insert, one object or an array; throws VALIDATION_FAILED naming the first member at fault. */
export function parseInserted(input: unknown): InsertedLog[] {
  if (!Array.isArray(input)) return [parseLog(input, 'input')];
  if (input.length === 0 || input.length > MAX_LOGS)
    throw invalidInput('input', `input must have 1 to ${MAX_LOGS} logs.`);
  return input.map((log, index) => parseLog(log, `input[${index}]`));
}

function parseLog(value: unknown, path: string): InsertedLog {
  const log = objectAt(value, path, ['request', 'response', 'metadata']);
  const request = objectAt(log.request, `${path}.request`, ['url', 'provider', 'method', 'headers', 'body']);
  const response = objectAt(log.response, `${path}.response`, [
    'status',
    'headers',
    'body',
    'response_time',
    'time',
    'streamingMode',
  ]);
  const inRequest = (name: string) => [request[name], `${path}.request.${name}`] as const;
  const inResponse = (name: string) => [response[name], `${path}.response.${name}`] as const;
  return {
    request: {
      url: textAt(...inRequest('url'), 8192),
      provider: request.provider == null ? null : textAt(...inRequest('provider'), 255),
      method: methodAt(...inRequest('method')),
      headers: textsAt(...inRequest('headers'), 200, 8192),
      body: givenAt(...inRequest('body')),
    },
    response: {
      status: integerAt(...inResponse('status'), { min: 100, max: 599, absent: 200 }),
      headers: textsAt(...inResponse('headers'), 200, 8192),
      body: givenAt(...inResponse('body')),
      responseTime: durationAt(...inResponse(response.response_time == null ? 'time' : 'response_time')),
      streamed: booleanAt(...inResponse('streamingMode')),
    },
    metadata: textsAt(log.metadata, `${path}.metadata`, 100, 128),
  };
}

function objectAt(value: unknown, path: string, known?: readonly string[]): Record<string, unknown> {
  if (value === undefined) throw invalidInput(path, `${path} is required.`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidInput(path, `${path} must be an object.`);
  }
  const stranger = known && Object.keys(value).find((name) => !known.includes(name));
  if (stranger === undefined) return value as Record<string, unknown>;
  throw new GatewayError('UNKNOWN_PARAMETER', {
    message: `Unknown parameter: ${path}.${stranger}`,
    param: `${path}.${stranger}`,
  });
}

function givenAt(value: unknown, path: string): unknown {
  if (value == null) throw invalidInput(path, `${path} is required.`);
  return value;
}

function textAt(value: unknown, path: string, maxLength: number): string {
  if (value === undefined) throw invalidInput(path, `${path} is required.`);
  if (typeof value === 'string' && value !== '' && value.length <= maxLength) return value;
  throw invalidInput(path, `${path} must be a string of 1 to ${maxLength} characters.`);
}

function methodAt(value: unknown, path: string): string {
  if (value == null) return 'POST';
  if (typeof value === 'string' && /^[a-z]{3,10}$/i.test(value)) return value.toUpperCase();
  throw invalidInput(path, `${path} must be an HTTP method.`);
}

function textsAt(
  value: unknown,
  path: string,
  maxMembers: number,
  maxLength: number,
): Record<string, string> {
  if (value == null) return {};
  const entries = Object.entries(objectAt(value, path));
  if (entries.length > maxMembers)
    throw invalidInput(path, `${path} must have at most ${maxMembers} members.`);
  for (const [name, text] of entries) {
    if (typeof text !== 'string' || text.length > maxLength || name.length > 255) {
      throw invalidInput(
        `${path}.${name}`,
        `${path}.${name} must be a string of at most ${maxLength} characters.`,
      );
    }
  }
  return Object.fromEntries(entries) as Record<string, string>;
}

function integerAt(
  value: unknown,
  path: string,
  { min, max, absent }: { min: number; max: number; absent: number },
): number {
  if (value == null) return absent;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalidInput(path, `${path} must be an integer of ${min} to ${max}.`);
}

/** Whole milliseconds, which is how logs have them. */
function durationAt(value: unknown, path: string): number {
  if (value == null) return 0;
  if (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER) return Math.round(value);
  throw invalidInput(path, `${path} must be a number of milliseconds, 0 or more.`);
}

function booleanAt(value: unknown, path: string): boolean {
  if (value == null) return false;
  if (typeof value === 'boolean') return value;
  throw invalidInput(path, `${path} must be true or false.`);
}
