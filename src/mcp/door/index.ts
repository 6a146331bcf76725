export { createMcpAuthenticate } from './authenticate.ts';
export { createMcpDoor, type DoorDependencies, type McpDoor } from './door.ts';
