export { addCatalogue, askForSync, removeCatalogue } from './catalogue.ts';
export { type McpSwitch, mcpCapabilityModel, mcpCatalogueModel, mcpSwitchModel } from './model.ts';
