/** How people may sign in here. */
export type SignInMethods = { oidc: boolean; owner_exists: boolean };

/** A refusal of the door, in its own words. */
export class RefusedSignIn extends Error {}

async function knock(method: string, body?: object): Promise<unknown> {
  const response = await fetch(new URL('sign-in', document.baseURI), {
    method,
    headers: body ? { 'content-type': 'application/json' } : {},
    body: body ? JSON.stringify(body) : null,
  }).catch(() => {
    throw new RefusedSignIn('The service cannot be reached.');
  });
  if (response.status === 204) return null;
  const answer = (await response.json().catch(() => ({}))) as { error?: { message?: string } };
  if (response.ok) return answer;
  throw new RefusedSignIn(answer.error?.message ?? `The service answered ${response.status}.`);
}

/** The ways in. */
export const signInMethods = async () => (await knock('GET')) as SignInMethods;

/** Signs in with what somebody shows; rejects with the reason. */
export const signIn = async (
  shown: { link: string } | { key: string } | { client_id: string; client_secret: string },
): Promise<void> => void (await knock('POST', shown));

export const signOut = async (): Promise<void> => void (await knock('DELETE'));
