import { tenantFilter } from '../../../auth/index.ts';
import { loaderById } from '../../loading.ts';
import { logBodiesModel, logModel } from './model.ts';

export const logById = loaderById(logModel, tenantFilter);

/** Headers and bodies by the log's id. */
export const logBodiesById = loaderById(logBodiesModel, tenantFilter);
