import { tenantFilter } from '../../../auth/index.ts';
import { loaderById } from '../../loading.ts';
import { roleModel } from './model.ts';

export const roleById = loaderById(roleModel, tenantFilter);
