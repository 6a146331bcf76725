import { z } from 'zod';
import { nameList } from '../name-list.ts';
import { integer } from '../values.ts';
import type { CloudIdentity } from './cloud-identity.ts';

/** Who this machine is for secret managers, and where that may be shown. */
export type SecretIdentity = {
  /** Hosts, or `*.domain`, to which secret references may take the identity of this machine. */
  hosts: readonly string[];
  /** What its clouds say who it is. */
  cloud: CloudIdentity;
  /** A key at AWS in the place of what its cloud says. */
  awsKeys: AwsKeyPair | null;
  awsRegion: string | null;
  /** In the place of `https://secretsmanager.<region>.amazonaws.com`. */
  secretsManagerUrl: string | null;
  /** A secret of the application at Entra, in the place of a token in a file. */
  azureClientSecret: string | null;
  /** The token of this pod's service account. */
  kubernetesTokenFile: string;
};

type AwsKeyPair = { id: string; secret: string; session: string | undefined };

export type SecretManagerSettings = {
  /** Milliseconds after which a value in memory is read again in the background. */
  refreshMs: number;
  /** Milliseconds that the last value serves while its manager gives none. */
  lastGoodMs: number;
  /** Milliseconds that one request to a manager may take. */
  timeoutMs: number;
  identity: SecretIdentity;
};

const text = z.string().max(4096).optional();
const url = z
  .url({ protocol: /^https?$/, error: 'must be a URL with http or https' })
  .transform((value) => value.replace(/\/+$/, ''));

/** Under the names that AWS, Azure and Kubernetes give them, where those have names. */
export const secretManagerSettings = {
  SECRET_REFRESH_SECONDS: integer(300, 1, 86_400).describe(
    'seconds after which a value that came from a secret manager is read again in the background',
  ),
  SECRET_LAST_GOOD_SECONDS: integer(86_400, 0, 2_592_000).describe(
    'seconds that the last value serves while its secret manager cannot be reached or lets nobody in',
  ),
  SECRET_TIMEOUT_MS: integer(5000, 100, 60_000).describe(
    'milliseconds that one request to a secret manager may take; a call waits for it only at the first use of a secret',
  ),
  SECRET_IDENTITY_HOSTS: nameList.optional().meta({
    unset: 'none',
    description:
      'comma list of the secret managers (`host`, `*.domain`) to which secret references may take the identity of this ' +
      'machine, e.g. `*.amazonaws.com,my-vault.vault.azure.net`: whoever may make references can then read there what ' +
      'this machine can',
  }),
  AWS_ACCESS_KEY_ID: text.describe("this machine's key at AWS, for `serviceRole` and `assumedRole`"),
  AWS_SECRET_ACCESS_KEY: text.describe('the secret of that key'),
  AWS_SESSION_TOKEN: text.describe('the session of that key, where it has one'),
  AWS_REGION: text.describe('the region of references with `serviceRole` that name none'),
  AWS_ENDPOINT_URL_SECRETS_MANAGER: url
    .optional()
    .describe('AWS Secrets Manager under another address, such as a private endpoint'),
  AZURE_CLIENT_SECRET: text.describe(
    'secret of the application `AZURE_CLIENT_ID`, for Azure Key Vault alone',
  ),
  KUBERNETES_TOKEN_FILE: z
    .string()
    .max(4096)
    .default('/var/run/secrets/kubernetes.io/serviceaccount/token')
    .describe("the token of this pod's service account, for Vault's `kubernetes`"),
};

type Values = z.output<z.ZodObject<typeof secretManagerSettings>>;

export function secretManagersOf(values: Values, cloud: CloudIdentity): SecretManagerSettings {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: session } = values;
  return {
    refreshMs: values.SECRET_REFRESH_SECONDS * 1000,
    lastGoodMs: values.SECRET_LAST_GOOD_SECONDS * 1000,
    timeoutMs: values.SECRET_TIMEOUT_MS,
    identity: {
      hosts: values.SECRET_IDENTITY_HOSTS ?? [],
      cloud,
      awsKeys: id === undefined || secret === undefined ? null : { id, secret, session },
      awsRegion: values.AWS_REGION ?? null,
      secretsManagerUrl: values.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? null,
      azureClientSecret: values.AZURE_CLIENT_SECRET ?? null,
      kubernetesTokenFile: values.KUBERNETES_TOKEN_FILE,
    },
  };
}
