/**
 * Names of the administration for which this version answers nothing yet. A name leaves this list when a document with its
 * path is written: a test compares both.
 */
export const unbuiltNames: readonly string[] = ['prompts'];

/** Names of the gateway that stand elsewhere than directly below `/v1`, and where. */
export const misplacedNames: Readonly<Record<string, readonly string[]>> = {
  access_token: ['/oauth2/access_token'],
  graphql: ['/graphql'],
  iam: ['/iam/v1/access_policies'],
  oauth2: ['/oauth2/access_token'],
  servers: ['/v0.1/servers'],
  users: ['/v1/admin/users'],
  workspaces: ['/v1/admin/workspaces'],
};
