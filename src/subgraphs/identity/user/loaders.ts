import { loaderById } from '../../loading.ts';
import { userModel } from './model.ts';

/** Users belong to the organisation: its workspaces see them through their members. */
export const userById = loaderById(userModel, ({ organisationId }) => ({ organisationId }));
