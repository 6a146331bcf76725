import { tenantFilter } from '../../../auth/index.ts';
import { loaderById } from '../../loading.ts';
import { apiKeyModel } from './model.ts';

/** A workspace credential sees its workspace's keys, an organisation credential all of the organisation's. */
export const apiKeyById = loaderById(apiKeyModel, tenantFilter);
