import { tenantFilter } from '../../../auth/index.ts';
import { loaderById } from '../../loading.ts';
import { serviceAccountModel } from './model.ts';

export const serviceAccountById = loaderById(serviceAccountModel, tenantFilter);
