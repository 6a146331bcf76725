import { rootCertificates } from 'node:tls';
import { json, type ScriptedProvider } from '../../test/support/provider.ts';
import type { OpenBao } from './server.ts';

export const NAMESPACE = 'team-a';
export const POD_ROLE = 'gateway';
const AUDIENCE = 'https://kubernetes.default.svc.cluster.local';
const ACCOUNT = { namespace: 'default', name: 'gateway', uid: '7f0d3a52-5b1e-4f59-9b43-0d3c9b3f3a11' };
/** What the gateway's token may read: the path of the API alone in the engine of version 2. */
const POLICY =
  'path "secret/data/openai" { capabilities = ["read"] } path "secret/data/nothing" { capabilities = ["read"] } ' +
  'path "kv1/openai" { capabilities = ["read"] } path "kv1/nothing" { capabilities = ["read"] }';

export type Logins = { token: string; approle: { role: string; secret: string } };

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token as a pod of Kubernetes has it. Only the cluster looks at its signature, and the cluster is ours. */
export const podToken = (): string =>
  [
    part({ alg: 'RS256', kid: 'x' }),
    part({
      iss: AUDIENCE,
      aud: [AUDIENCE],
      sub: `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`,
      iat: Math.floor(Date.now() / 1000) - 60,
      exp: Math.floor(Date.now() / 1000) + 3600,
      'kubernetes.io': {
        namespace: ACCOUNT.namespace,
        serviceaccount: { name: ACCOUNT.name, uid: ACCOUNT.uid },
      },
    }),
    Buffer.alloc(256, 7).toString('base64url'),
  ].join('.');

/** A cluster that knows one token. */
export const clusterOf = (cluster: ScriptedProvider, token: string): void =>
  cluster.play((request, response, raw) => {
    const { spec } = JSON.parse(request.body.toString() || '{}') as { spec?: { token?: string } };
    const user = {
      username: `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`,
      uid: ACCOUNT.uid,
      groups: ['system:serviceaccounts', 'system:authenticated'],
    };
    const isKnown = spec?.token === token;
    const status = isKnown ? { authenticated: true, audiences: [AUDIENCE], user } : { authenticated: false };
    return json(201, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', status })(
      request,
      response,
      raw,
    );
  });

/** Mounts, secrets, policies and ways in, at the outside or in a namespace; answers what the gateway logs in with. */
export async function furnish(
  { call }: OpenBao,
  key: string,
  { namespace, cluster }: { namespace?: string; cluster?: ScriptedProvider } = {},
): Promise<Logins> {
  const ask = (method: string, path: string, body?: object) => call(method, path, body, namespace);
  if (namespace) await ask('POST', 'sys/mounts/secret', { type: 'kv', options: { version: '2' } });
  await ask('POST', 'sys/mounts/kv1', { type: 'kv', options: { version: '1' } });
  await ask('POST', 'secret/data/openai', { data: { key } });
  await ask('POST', 'kv1/openai', { key });
  await ask('PUT', 'sys/policies/acl/gateway', { policy: POLICY });
  await ask('POST', 'sys/auth/approle', { type: 'approle' });
  await ask('POST', 'auth/approle/role/gateway', { token_policies: 'gateway', token_ttl: '1h' });
  if (cluster) {
    await ask('POST', 'sys/auth/kubernetes', { type: 'kubernetes' });
    await ask('POST', 'auth/kubernetes/config', {
      kubernetes_host: cluster.url.replace('/v1', ''),
      token_reviewer_jwt: podToken(),
      // The cluster is asked without TLS, and OpenBao wants a certificate all the same.
      kubernetes_ca_cert: rootCertificates[0],
      disable_local_ca_jwt: true,
    });
    await ask('POST', `auth/kubernetes/role/${POD_ROLE}`, {
      bound_service_account_names: ACCOUNT.name,
      bound_service_account_namespaces: ACCOUNT.namespace,
      token_policies: 'gateway',
    });
  }
  const { auth } = await ask('POST', 'auth/token/create', { policies: ['gateway'] });
  const role = await ask('GET', 'auth/approle/role/gateway/role-id');
  const secret = await ask('POST', 'auth/approle/role/gateway/secret-id');
  return {
    token: auth?.client_token ?? '',
    approle: { role: role.data?.role_id ?? '', secret: secret.data?.secret_id ?? '' },
  };
}
