import type { Tab } from '../../../../ui/index.ts';
import type { IdentitiesQuery } from '../../documents.ts';
import { Accounts } from './accounts.tsx';
import { Policies } from './policies.tsx';
import { Roles } from './roles.tsx';
import { Tenants } from './tenants.tsx';

/** Programs of a tenant, what they may do, and the tenants below it, as far as somebody may see them. */
export const identityTabs = (found: IdentitiesQuery | undefined): Tab[] => {
  const { serviceAccounts, roles, accessPolicies, tenants } = found ?? {};
  return [
    ...(serviceAccounts
      ? [
          {
            value: 'accounts',
            label: 'Service accounts',
            note: serviceAccounts.total,
            panel: <Accounts accounts={serviceAccounts.data} />,
          },
        ]
      : []),
    ...(roles
      ? [{ value: 'roles', label: 'Roles', note: roles.total, panel: <Roles roles={roles.data} /> }]
      : []),
    ...(accessPolicies
      ? [
          {
            value: 'policies',
            label: 'Access policies',
            note: accessPolicies.total,
            panel: (
              <Policies
                policies={accessPolicies.data}
                roles={roles?.data ?? []}
                accounts={serviceAccounts?.data ?? []}
              />
            ),
          },
        ]
      : []),
    ...(tenants
      ? [
          {
            value: 'tenants',
            label: 'Tenants',
            note: tenants.total,
            panel: <Tenants tenants={tenants.data} />,
          },
        ]
      : []),
  ];
};
