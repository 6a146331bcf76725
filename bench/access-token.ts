import type { RunningSluice } from './processes.ts';

/** How a service account asks for an access token. */
export const tokenRequest = ({ clientId, clientSecret }: RunningSluice, tenant: string) => ({
  path: '/oauth2/access_token',
  headers: {
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  },
  body: `grant_type=client_credentials&scope=tsg_id:${tenant}`,
});

/** An access token for a tenant. */
export async function tokenOf(sluice: RunningSluice, tenant: string): Promise<string> {
  const { path, headers, body } = tokenRequest(sluice, tenant);
  const response = await fetch(`http://127.0.0.1:${sluice.port}${path}`, { method: 'POST', headers, body });
  const { access_token } = (await response.json()) as { access_token?: string };
  if (!access_token) throw new Error(`No token for ${tenant}: ${response.status}`);
  return access_token;
}
