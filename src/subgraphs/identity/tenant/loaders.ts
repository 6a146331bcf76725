import type { Principal } from '../../../auth/index.ts';
import { loaderById } from '../../loading.ts';
import { tenantModel } from './model.ts';

/** A token's tenant and all below it; a credential without a tenant sees none. */
export const visibleTenants = ({ tsgId }: Principal) =>
  tsgId === undefined ? { _id: { $in: [] } } : { $or: [{ _id: tsgId }, { ancestors: tsgId }] };

export const tenantById = loaderById(tenantModel, visibleTenants);
