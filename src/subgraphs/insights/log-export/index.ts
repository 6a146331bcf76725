export { type LinkMembers, linkedContent } from './content.ts';
export { createLogExports } from './create.ts';
export { type LogExportDocument, logExportModel } from './model.ts';
