import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../src/errors/index.ts';
import { readBytes } from '../body.ts';

const MAX_BYTES = 16 * 1024;
/** Milliseconds that a form may take to arrive: nobody's secret was looked at yet. */
const MAX_TIME = 10_000;

/**
 * The parameters of a form. One without a value counts as absent, one that nobody knows is left aside; one that comes
 * twice throws VALIDATION_FAILED (RFC 6749, sections 3.1 and 3.2).
 */
export async function readForm(request: IncomingMessage): Promise<ReadonlyMap<string, string>> {
  requireForm(request);
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(await readText(request))) {
    if (form.has(name)) {
      throw new GatewayError('VALIDATION_FAILED', {
        message: `${name} is given more than once.`,
        param: name,
      });
    }
    form.set(name, value);
  }
  return new Map([...form].filter(([, value]) => value !== ''));
}

async function readText(request: IncomingMessage): Promise<string> {
  const late = setTimeout(() => request.destroy(), MAX_TIME);
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of readBytes(request, MAX_BYTES)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  } finally {
    clearTimeout(late);
  }
}

function requireForm({ headers }: IncomingMessage): void {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  const encoding = headers['content-encoding'] ?? 'identity';
  if (type === 'application/x-www-form-urlencoded' && encoding === 'identity') return;
  throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', {
    message: 'The body must be application/x-www-form-urlencoded, not compressed.',
  });
}
