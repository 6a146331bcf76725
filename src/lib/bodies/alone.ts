/**
 * Bytes without much other memory, for what is kept for long: small ones that Node makes lie in a slab beside others, and the last of
 * them keeps all of it.
 */
export function alone(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= 2 * bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}
