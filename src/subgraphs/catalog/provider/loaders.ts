import { tenantFilter } from '../../../auth/index.ts';
import { loaderById } from '../../loading.ts';
import { providerModel } from './model.ts';

export const providerById = loaderById(providerModel, tenantFilter);
