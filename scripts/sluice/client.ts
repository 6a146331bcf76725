/** Asks the graph for the field `result`; throws an error with the service's words where it refuses. */
export type Ask = <T>(query: string, variables: Record<string, unknown>) => Promise<T>;

export type Environment = Readonly<Record<string, string | undefined>>;

const needed = (env: Environment, name: string): string => {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set.`);
  return value;
};

/** Longer than the service itself takes for one request. */
const TIMEOUT_MS = 60_000;

const post = async (url: string, headers: Record<string, string>, body: string | URLSearchParams) => {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new Error(`${url} answered ${response.status} and no JSON.`);
  }
};

async function credential(url: string, env: Environment): Promise<Record<string, string>> {
  if (env.SLUICE_API_KEY) return { 'x-gateway-api-key': env.SLUICE_API_KEY };
  const pair = `${needed(env, 'SLUICE_CLIENT_ID')}:${needed(env, 'SLUICE_CLIENT_SECRET')}`;
  const { access_token: token } = await post(
    `${url}/oauth2/access_token`,
    { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    new URLSearchParams({
      grant_type: 'client_credentials',
      scope: `tsg_id:${needed(env, 'SLUICE_TSG_ID')}`,
    }),
  );
  if (typeof token !== 'string')
    throw new Error('The service gives no access token for this Client ID and secret.');
  return { authorization: `Bearer ${token}` };
}

/** The service that the environment names, and the headers with a credential of it. */
export async function serviceOf(env: Environment): Promise<{ url: string; headers: Record<string, string> }> {
  const url = needed(env, 'SLUICE_URL').replace(/\/+$/, '');
  const workspace = env.SLUICE_WORKSPACE_ID;
  return {
    url,
    headers: { ...(await credential(url, env)), ...(workspace && { 'x-gateway-workspace-id': workspace }) },
  };
}

/** Asks the graph of the service that the environment names. */
export async function connect(env: Environment): Promise<Ask> {
  const { url, headers: own } = await serviceOf(env);
  const headers = { ...own, 'content-type': 'application/json' };
  return async <T>(query: string, variables: Record<string, unknown>) => {
    const answer = await post(`${url}/graphql`, headers, JSON.stringify({ query, variables }));
    const [error] = (answer.errors ?? []) as { message: string; extensions?: { errors?: string[] } }[];
    if (error) throw new Error((error.extensions?.errors ?? [error.message]).join('\n'));
    return (answer.data as { result: T }).result;
  };
}
