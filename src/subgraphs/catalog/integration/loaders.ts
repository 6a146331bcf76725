import { loaderById } from '../../loading.ts';
import { visibleIntegrations } from './access.ts';
import { integrationModel } from './model.ts';

export const integrationById = loaderById(integrationModel, visibleIntegrations);
