import { GatewayError } from '../../errors/index.ts';
import type { Call } from '../call/call.ts';

/** White space, zeros and byte order marks, in any of the encodings that JSON came in. */
const skipped: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x00, 0xef, 0xbb, 0xbf, 0xfe, 0xff]);
const OPENINGS: ReadonlySet<number | undefined> = new Set([0x7b, 0x5b]);

/**
 * Throws VALIDATION_FAILED for a body that the gateway does not read and a provider might, since some take JSON whatever its
 * content type: the config has parameters for it. What is neither JSON nor a form, such as audio, has none and goes as it
 * is.
 */
export function requireWithoutParameters({ body, headers }: Call): void {
  const hasParameters = /^(?:multipart\/|application\/x-www-form-urlencoded|[^;]*\bjson\b)/i.test(
    headers['content-type'] ?? '',
  );
  // What is compressed may be anything.
  const isPlain = /^(?:identity)?$/i.test(headers['content-encoding']?.trim() ?? '');
  if (body.kind === 'bytes' && isPlain && !hasParameters && !beginsLikeJson(body.bytes)) return;
  throw new GatewayError('VALIDATION_FAILED', {
    message:
      'The config has parameters for the body, which the gateway cannot read: send a JSON object, or a form, as what it is and not larger than is kept.',
    param: 'content-type',
  });
}

const beginsLikeJson = (bytes: Buffer): boolean => OPENINGS.has(bytes.find((byte) => !skipped.has(byte)));
