import type { AwsKeys } from '../../identity.ts';
import type { UnsignedRequest } from '../../provider.ts';

/** Headers with AWS's signature (version 4) of a whole request. */
export async function sign(
  { method, origin, path, headers, body }: UnsignedRequest,
  { id, secret, session }: AwsKeys,
  region: string,
  service: string,
): Promise<Record<string, string>> {
  const { AwsV4Signer } = await import('aws4fetch');
  const signer = new AwsV4Signer({
    method,
    url: origin + path,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    body: body === null ? undefined : new Uint8Array(body),
    accessKeyId: id,
    secretAccessKey: secret,
    sessionToken: session,
    service,
    region,
  });
  const signed = await signer.sign();
  return Object.fromEntries([...signed.headers].filter(([name]) => name !== 'host'));
}
