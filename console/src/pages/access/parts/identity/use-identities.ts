import { useDocument } from '../../../../data/use-document.ts';
import { mayAny, useViewer } from '../../../../shell/session/viewer.ts';
import { IdentitiesDocument, type IdentitiesQuery } from '../../documents.ts';

export type Account = NonNullable<IdentitiesQuery['serviceAccounts']>['data'][number];
export type Role = NonNullable<IdentitiesQuery['roles']>['data'][number];
export type Policy = NonNullable<IdentitiesQuery['accessPolicies']>['data'][number];
export type Tenant = NonNullable<IdentitiesQuery['tenants']>['data'][number];

/** What is read anew after each change here. */
export const changes = [IdentitiesDocument.name];

/** Programs and what they may do; whoever may see nothing of that asks nothing. */
export function useIdentities() {
  const viewer = useViewer();
  const may = (permission: string) => mayAny(viewer, [permission]);
  const variables = {
    mayAccounts: may('iam.service_account'),
    mayRoles: may('iam.custom_role'),
    mayPolicies: may('iam.access_policy'),
    mayTenants: may('iam.tenant'),
  };
  const isEnabled = Object.values(variables).some(Boolean);
  return useDocument(IdentitiesDocument, variables, { isEnabled });
}
