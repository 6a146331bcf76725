import { loaderById } from '../../loading.ts';
import { visibleByAllowance } from '../allowed-workspaces.ts';
import { deploymentModel } from './model.ts';

export const deploymentById = loaderById(deploymentModel, visibleByAllowance);
