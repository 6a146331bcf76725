import { createHash, createHmac } from 'node:crypto';
import type { ReceivedRequest } from '../provider.ts';

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Why AWS would refuse the signature of a request; null for a good one. Written from AWS's description of version 4. */
export function signatureProblem(
  { method, url, headers, body }: ReceivedRequest,
  keys: { id: string; secret: string; session?: string },
  region: string,
  service: string,
): string | null {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (!found) return 'no signature';
  const [, id, day = '', ofRegion, ofService, names = '', signature] = found;
  if (id !== keys.id || ofRegion !== region || ofService !== service) return 'another scope';
  if (keys.session !== undefined && headers['x-amz-security-token'] !== keys.session) return 'no session';
  const time = String(headers['x-amz-date']);
  const sentAt = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(Date.now() - sentAt) < 300_000) || !time.startsWith(day)) return 'another time';
  const signed = names.split(';');
  if (!['host', 'x-amz-date'].every((name) => signed.includes(name))) return 'too little is signed';
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    method,
    path,
    query,
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${keys.secret}`);
  return hmac(key, toSign).toString('hex') === signature ? null : 'another signature';
}
