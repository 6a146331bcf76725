import { loaderById } from '../../loading.ts';
import { inviteModel } from './model.ts';

export const inviteById = loaderById(inviteModel, ({ organisationId }) => ({ organisationId }));
