import { loaderById } from '../../loading.ts';
import { organisationModel } from './model.ts';

export const organisationById = loaderById(organisationModel, (principal) => ({
  _id: principal.organisationId,
}));
