import { json, type ReceivedRequest, type Script } from '../provider.ts';
import { signatureProblem } from './signature.ts';

export const REGION = 'eu-west-1';
export const ROLE = 'arn:aws:iam::123456789012:role/sluice';
export const EXTERNAL_ID = 'external-4711';
/** The key pair that an auth config has, and the one of the machine. */
export const ADMIN_KEYS = { id: 'AKIAADMINADMINADMIN0', secret: 'admin+secret/0123456789abcdefghijklmnopq' };
export const MACHINE_KEYS = {
  id: 'AKIAMACHINEMACHINE00',
  secret: 'machine+secret/0123456789abcdefghijklmno',
};
/** Of a role that was taken on. */
export const ROLE_KEYS = { id: 'ASIAROLEROLEROLE0000', secret: 'role+secret', session: 'role-session' };
export const WEB_KEYS = { id: 'ASIAWEBWEBWEBWEB0000', secret: 'web+secret', session: 'web-session' };
export const WEB_TOKEN = 'web-identity-token';
export const CONTAINER_KEYS = { id: 'ASIABOXBOXBOXBOX0000', secret: 'box+secret', session: 'box-session' };

const fault = (type: string) => json(400, { __type: `com.amazonaws#${type}`, message: 'said by AWS' });

/** AWS's Secrets Manager and token service: every signature is checked. `secrets`: texts by name. */
export function awsScript(secrets: ReadonlyMap<string, string>): Script {
  return (request, response, raw) => answerOf(request, secrets)(request, response, raw);
}

function answerOf(request: ReceivedRequest, secrets: ReadonlyMap<string, string>): Script {
  if (request.headers['x-amz-target'] === 'secretsmanager.GetSecretValue') return secretOf(request, secrets);
  const form = new URLSearchParams(request.body.toString());
  if (form.get('Action') === 'AssumeRoleWithWebIdentity') {
    const isGood = form.get('WebIdentityToken') === WEB_TOKEN && form.get('RoleArn') === ROLE;
    return isGood ? credentials('AssumeRoleWithWebIdentity', WEB_KEYS) : json(403, {});
  }
  if (form.get('Action') !== 'AssumeRole') return json(400, {});
  const isSigned = [MACHINE_KEYS, WEB_KEYS].some(
    (keys) => signatureProblem(request, keys, REGION, 'sts') === null,
  );
  const isGood = isSigned && form.get('RoleArn') === ROLE && form.get('ExternalId') === EXTERNAL_ID;
  return isGood ? credentials('AssumeRole', ROLE_KEYS) : json(403, {});
}

function secretOf(request: ReceivedRequest, secrets: ReadonlyMap<string, string>): Script {
  const known = [ADMIN_KEYS, MACHINE_KEYS, ROLE_KEYS, WEB_KEYS, CONTAINER_KEYS];
  const isSigned = known.some((keys) => signatureProblem(request, keys, REGION, 'secretsmanager') === null);
  if (!isSigned) return fault('InvalidSignatureException');
  if (request.headers['content-type'] !== 'application/x-amz-json-1.1')
    return fault('SerializationException');
  const { SecretId: name } = JSON.parse(request.body.toString()) as { SecretId: string };
  const text = secrets.get(name);
  if (text === undefined) return fault('ResourceNotFoundException');
  return json(200, { ARN: `arn:${name}`, Name: name, VersionId: 'v', SecretString: text });
}

const credentials = (action: string, { id, secret, session }: typeof ROLE_KEYS) =>
  json(200, {
    [`${action}Response`]: {
      [`${action}Result`]: {
        Credentials: { AccessKeyId: id, SecretAccessKey: secret, SessionToken: session, Expiration: 1.9e9 },
      },
    },
  });

/** What asks for the keys of a container. */
export const containerScript: Script = (request, response, raw) =>
  (request.headers.authorization === 'container-token'
    ? json(200, {
        AccessKeyId: CONTAINER_KEYS.id,
        SecretAccessKey: CONTAINER_KEYS.secret,
        Token: CONTAINER_KEYS.session,
        Expiration: new Date(Date.now() + 3_600_000).toISOString(),
      })
    : json(401, {}))(request, response, raw);
