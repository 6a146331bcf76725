const document = (kind: string, slug: string, spec: object) => ({
  apiVersion: 'sluice/v1',
  kind,
  metadata: { slug, bundle: 'bench' },
  spec,
});

/** Of a thousand resources, how many are of each kind. */
const shares = {
  Workspace: 20,
  SecretReference: 20,
  Integration: 60,
  Provider: 360,
  Config: 300,
  Deployment: 20,
  Role: 20,
  ServiceAccount: 20,
  AccessPolicy: 50,
  ApiKey: 130,
};

type Kind = keyof typeof shares;
type Slugs = (kind: Kind, index: number) => string;

const specs: Record<Kind, (index: number, slugs: Slugs) => object> = {
  Workspace: (index) => ({ name: `Team ${index}`, metadata: { team: `team-${index}` } }),
  SecretReference: (index, slugs) => ({
    name: `Reference ${index}`,
    managerType: 'hashicorp_vault',
    authConfig: {
      vault_auth_type: 'token',
      vault_addr: 'https://vault.example',
      vault_token: { env: 'BENCH_SECRET' },
    },
    secretPath: `teams/${index}`,
    workspaces: [slugs('Workspace', index)],
  }),
  Integration: (index) => ({
    name: `Integration ${index}`,
    aiProviderId: 'openai',
    key: { env: 'BENCH_SECRET' },
    models: [{ slug: 'gpt-4o' }],
  }),
  Provider: (index, slugs) => ({
    workspace: slugs('Workspace', index),
    integration: slugs('Integration', index),
    name: `Provider ${index}`,
  }),
  Config: (index, slugs) => ({
    workspace: slugs('Workspace', index),
    name: `Config ${index}`,
    config: { strategy: { mode: 'fallback' }, targets: [{ provider: 'openai' }, { provider: 'anthropic' }] },
  }),
  Deployment: (index, slugs) => ({
    name: `Deployment ${index}`,
    type: 'production',
    url: `https://${index}.example`,
    allowAllWorkspaces: false,
    workspaces: [slugs('Workspace', index)],
  }),
  Role: (index) => ({ name: `Role ${index}`, permissions: ['configs.read', 'configs.list'] }),
  ServiceAccount: (index) => ({ description: `Account ${index}` }),
  AccessPolicy: (index, slugs) => ({
    principal: { serviceAccount: slugs('ServiceAccount', index) },
    role: slugs('Role', index),
    workspace: slugs('Workspace', Math.floor(index / 20) + index),
  }),
  ApiKey: (index, slugs) => ({
    workspace: slugs('Workspace', index),
    name: `Key ${index}`,
    scopes: ['completions.write'],
  }),
};

/** Documents of every kind, each thousand in the same proportions; they refer to each other as those of a company do. */
export function bundleOf(thousands: number): unknown[] {
  const prefix = (kind: Kind) =>
    kind === 'Workspace' ? 'ws' : kind === 'Config' ? 'pc' : kind.toLowerCase();
  const slugs: Slugs = (kind, index) => `${prefix(kind)}-${index % (shares[kind] * thousands)}`;
  return (Object.keys(shares) as Kind[]).flatMap((kind) =>
    Array.from({ length: shares[kind] * thousands }, (_, index) =>
      document(kind, slugs(kind, index), specs[kind](index, slugs)),
    ),
  );
}
