import type { CloudIdentity } from '../../../settings/index.ts';
import type { AwsKeys } from '../../identity.ts';
import { roleForm, roleKeysIn, tokenServiceOf } from '../aws/sts.ts';
import type { Expiring } from '../expiring-cache.ts';
import { askCloud, askCloudJson, nothingGiven, tokenIn } from './ask.ts';

type Aws = CloudIdentity['aws'];

/** Seconds that keys are good for when nobody says. */
const DURATION = 3600;

/** As containers and virtual machines are given them. */
type Given = { AccessKeyId: string; SecretAccessKey: string; Token: string; Expiration: string };

/** The keys of the role that this process runs under: of its service account, its container or its machine. */
export function awsKeys({ webIdentity, sts, container, metadata }: Aws, region: string) {
  if (webIdentity) return ofServiceAccount(webIdentity, sts ?? tokenServiceOf(region));
  if (container) return ofContainer(container);
  return ofMachine(metadata);
}

async function ofServiceAccount(
  { role, tokenFile }: NonNullable<Aws['webIdentity']>,
  sts: string,
): Promise<Expiring<AwsKeys>> {
  const who = "AWS's token service";
  const proof = { WebIdentityToken: await tokenIn(tokenFile) };
  const body = new URLSearchParams(roleForm('AssumeRoleWithWebIdentity', role, proof));
  const headers = { accept: 'application/json' };
  const answer = await askCloudJson(who, `${sts}/`, { method: 'POST', headers, body });
  const keys = roleKeysIn('AssumeRoleWithWebIdentity', answer);
  if (keys) return keys;
  throw nothingGiven(who);
}

async function ofContainer({
  url,
  token,
  tokenFile,
}: NonNullable<Aws['container']>): Promise<Expiring<AwsKeys>> {
  const who = "AWS's service for the keys of a container";
  const shown = tokenFile === undefined ? token : await tokenIn(tokenFile);
  const headers = shown === undefined ? undefined : { authorization: shown };
  return keysOf(who, await askCloudJson<Given>(who, url, { headers }));
}

/** Seconds that the session with the machine's metadata lasts. */
const SESSION = '60';

async function ofMachine(metadata: string): Promise<Expiring<AwsKeys>> {
  const who = "AWS's metadata of the machine";
  const opened = await askCloud(who, `${metadata}/latest/api/token`, {
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': SESSION },
  });
  const headers = { 'x-aws-ec2-metadata-token': opened };
  const roles = `${metadata}/latest/meta-data/iam/security-credentials/`;
  const [role = ''] = (await askCloud(who, roles, { headers })).split('\n');
  if (role === '') throw nothingGiven(who);
  return keysOf(who, await askCloudJson<Given>(who, roles + encodeURIComponent(role.trim()), { headers }));
}

function keysOf(who: string, { AccessKeyId, SecretAccessKey, Token, Expiration }: Partial<Given>) {
  if (!AccessKeyId || !SecretAccessKey) throw nothingGiven(who);
  const end = Date.parse(Expiration ?? '');
  return {
    value: { id: AccessKeyId, secret: SecretAccessKey, session: Token },
    expiresAt: Number.isNaN(end) ? Date.now() + DURATION * 1000 : end,
  };
}
