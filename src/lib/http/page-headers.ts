/**
 * Headers of an answer that a browser renders: what the page may load, where its forms may be sent, and that no other page may
 * show it in a frame.
 */
export const pageHeaders = (
  policy: readonly string[],
  formAction: "'none'" | "'self'" = "'none'",
): Record<string, string> => ({
  'content-security-policy': [...policy, `form-action ${formAction}`, "frame-ancestors 'none'"].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});

/** Headers of text and JSON that somebody opens in a browser: such an answer loads and runs nothing. */
export const plainPageHeaders = pageHeaders(["default-src 'none'", "base-uri 'none'"]);
