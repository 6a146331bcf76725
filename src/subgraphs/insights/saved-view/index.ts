export { savedViewModel } from './model.ts';
