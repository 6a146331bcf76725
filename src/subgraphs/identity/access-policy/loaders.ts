import { tenantFilter } from '../../../auth/index.ts';
import { loaderById } from '../../loading.ts';
import { accessPolicyModel } from './model.ts';

/** A token that is good for one workspace sees the policies on it, any other all of the tenant's. */
export const accessPolicyById = loaderById(accessPolicyModel, tenantFilter);
