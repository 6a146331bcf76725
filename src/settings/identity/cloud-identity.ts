import { z } from 'zod';

/** Where Azure and AWS tell a program that runs there who it is; what is not set does not exist. */
export type CloudIdentity = {
  azure: {
    tenantId?: string;
    clientId?: string;
    /** File with a token of the cluster, which Entra takes as a proof. */
    tokenFile?: string;
    /** Where Entra issues tokens, without a slash at the end. */
    authority: string;
    /** Base URL of the metadata of a virtual machine. */
    metadata: string;
    /** Where an app service answers tokens, and the header that it wants. */
    appService?: { endpoint: string; header: string };
  };
  aws: {
    /** A role that a token of the cluster stands for. */
    webIdentity?: { role: string; tokenFile: string };
    /** Base URL of the token service; absent, that of the region. */
    sts?: string;
    /** Where a container is given keys, and what it shows for them. */
    container?: { url: string; token?: string; tokenFile?: string };
    /** Base URL of the metadata of a virtual machine. */
    metadata: string;
  };
};

const given = z.string().max(2048).optional();
const url = z
  .string()
  .max(2048)
  .transform((text) => text.replace(/\/+$/, ''));

/** Who the gateway itself is in a cloud. But for the first, the cloud sets all of them in what runs there. */
export const cloudIdentitySettings = {
  CLOUD_IDENTITY: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(
      "`true`: integrations may use the gateway's own identity in Azure and AWS, so that whoever writes " +
        'integrations does at these providers what it may do: see docs/security.md',
    ),
  AZURE_TENANT_ID: given.describe('tenant of the workload identity, which Azure sets'),
  AZURE_CLIENT_ID: given.describe('application of the workload identity, which Azure sets'),
  AZURE_FEDERATED_TOKEN_FILE: given.describe('file with the token of a workload identity, which Azure sets'),
  AZURE_AUTHORITY_HOST: url
    .default('https://login.microsoftonline.com')
    .describe('where Entra issues tokens to the workload identity, which Azure sets'),
  AZURE_POD_IDENTITY_AUTHORITY_HOST: url
    .default('http://169.254.169.254')
    .describe('where managed identities get their tokens'),
  IDENTITY_ENDPOINT: given.describe('where an app service gets the tokens of its identity, which Azure sets'),
  IDENTITY_HEADER: given.describe('what it sends for them, which Azure sets'),
  AWS_ROLE_ARN: given.describe('role of the service account, which AWS sets'),
  AWS_WEB_IDENTITY_TOKEN_FILE: given.describe('file with the token of the service account, which AWS sets'),
  AWS_ENDPOINT_URL_STS: url
    .optional()
    .meta({ unset: 'that of the region', description: 'where that token is exchanged for keys' }),
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: given.describe('where a task gets its keys, which AWS sets'),
  AWS_CONTAINER_CREDENTIALS_FULL_URI: given.describe('where a pod gets its keys, which AWS sets'),
  AWS_CONTAINER_AUTHORIZATION_TOKEN: given.describe('what it sends for them, which AWS sets'),
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: given.describe('file with what it sends for them, which AWS sets'),
  AWS_EC2_METADATA_SERVICE_ENDPOINT: url
    .default('http://169.254.169.254')
    .describe('where a virtual machine gets the keys of its role'),
};

const values = z.object(cloudIdentitySettings);
type Values = z.infer<typeof values>;

/** Null where integrations may not use the gateway's own identity. */
export const lentIdentityOf = (values: Values): CloudIdentity | null =>
  values.CLOUD_IDENTITY ? cloudIdentityOf(values) : null;

export function cloudIdentityOf(values: Values): CloudIdentity {
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header } = values;
  const { AWS_ROLE_ARN: role, AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile } = values;
  const container = containerUrl(values);
  return {
    azure: {
      tenantId: values.AZURE_TENANT_ID,
      clientId: values.AZURE_CLIENT_ID,
      tokenFile: values.AZURE_FEDERATED_TOKEN_FILE,
      authority: values.AZURE_AUTHORITY_HOST,
      metadata: values.AZURE_POD_IDENTITY_AUTHORITY_HOST,
      ...(endpoint !== undefined && header !== undefined && { appService: { endpoint, header } }),
    },
    aws: {
      sts: values.AWS_ENDPOINT_URL_STS,
      metadata: values.AWS_EC2_METADATA_SERVICE_ENDPOINT,
      ...(role !== undefined && tokenFile !== undefined && { webIdentity: { role, tokenFile } }),
      ...(container !== null && {
        container: {
          url: container,
          token: values.AWS_CONTAINER_AUTHORIZATION_TOKEN,
          tokenFile: values.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE,
        },
      }),
    },
  };
}

/** The relative address is one of the agent that runs beside every task. */
function containerUrl({
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative,
  AWS_CONTAINER_CREDENTIALS_FULL_URI: full,
}: Values): string | null {
  return relative === undefined ? (full ?? null) : `http://169.254.170.2${relative}`;
}
