export { configIn } from './find.ts';
export {
  type ConfigDocument,
  type ConfigVersionDocument,
  configModel,
  configVersionModel,
  type StoredConfig,
} from './model.ts';
export { unsealConfig } from './sealing.ts';
