// Headers that describe the provider's own body or its connection.
const ofTheBody =
  /^(content-(length|encoding|type|md5)|transfer-encoding|connection|keep-alive|set-cookie|vary|etag|trailer)$/;

/** A provider's headers that still say something true about the answer made of its own. */
export const passedOn = (headers: Record<string, string> | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => !ofTheBody.test(name.toLowerCase())));
