import type { Resource } from '../../subgraph.ts';

/** The types of the switches; organisations and workspaces keep and show them among their settings. */
export const organisationSwitch: Resource = { name: 'organisation-switch', models: [], resolvers: {} };
