import { type Document, type MongoClient, MongoServerError } from 'mongodb';
import type { Requirement } from './suite.ts';
import { canonical, plain } from './values.ts';

/** What a server says of itself, as far as requirements ask for it. */
export type ServerDescription = {
  version: number[];
  topology: 'single' | 'replicaset' | 'sharded';
  hasAuthentication: boolean;
  parameter(name: string): Promise<unknown>;
};

function topologyOf(hello: Document): ServerDescription['topology'] {
  if (hello.msg === 'isdbgrid') return 'sharded';
  return hello.setName ? 'replicaset' : 'single';
}

/** Asks a server for its version, topology and authentication. */
export async function describeServer(client: MongoClient): Promise<ServerDescription> {
  const admin = client.db('admin');
  const { versionArray } = await admin.command({ buildInfo: 1 });
  const { authInfo } = await admin.command({ connectionStatus: 1 });
  return {
    version: versionArray.slice(0, 3),
    topology: topologyOf(await admin.command({ hello: 1 })),
    hasAuthentication: authInfo.authenticatedUsers.length > 0,
    async parameter(name) {
      try {
        return (await admin.command({ getParameter: 1, [name]: 1 }))[name];
      } catch (error) {
        // A server refuses to name a parameter that it does not have.
        if (error instanceof MongoServerError) return undefined;
        throw error;
      }
    },
  };
}

/** Less than zero, zero or more, as the first version is older, the same or newer. */
export function compareVersions(left: readonly number[], right: readonly number[]): number {
  for (let part = 0; part < 3; part++) {
    const difference = (left[part] ?? 0) - (right[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const parseVersion = (text: string) => text.split(/[.-]/, 3).map(Number);

async function unmetParameter(wanted: Document, server: ServerDescription): Promise<string | undefined> {
  for (const [name, value] of Object.entries(wanted)) {
    if (canonical(plain(await server.parameter(name))) !== canonical(value)) return name;
  }
  return undefined;
}

/** Why a requirement is not met, or nothing when it is. */
async function unmet(requirement: Requirement, server: ServerDescription): Promise<string | undefined> {
  const { minServerVersion, maxServerVersion, topologies, serverless, auth, csfle } = requirement;
  const announced = server.version.join('.');
  if (minServerVersion && compareVersions(server.version, parseVersion(minServerVersion)) < 0) {
    return `for servers newer than ${announced}`;
  }
  if (maxServerVersion && compareVersions(server.version, parseVersion(maxServerVersion)) > 0) {
    return `for servers older than ${announced}`;
  }
  if (topologies && !topologies.includes(server.topology)) return `needs topology ${topologies.join(' or ')}`;
  if (serverless === 'require') return 'needs a serverless instance';
  if (csfle === true) return 'needs client-side encryption';
  if (auth === true && !server.hasAuthentication) return 'needs authentication';
  if (auth === false && server.hasAuthentication) return 'needs a server without authentication';
  if (requirement.authMechanism) return `needs authentication by ${requirement.authMechanism}`;
  const parameter = await unmetParameter(requirement.serverParameters ?? {}, server);
  return parameter && `needs the server parameter ${parameter}`;
}

/** Why none of the requirements is met, or nothing when one is or there are none. */
export async function reasonToSkip(
  requirements: Requirement[] | undefined,
  server: ServerDescription,
): Promise<string | undefined> {
  const reasons = new Set<string>();
  for (const requirement of requirements ?? []) {
    const reason = await unmet(requirement, server);
    if (!reason) return undefined;
    reasons.add(reason);
  }
  return reasons.size > 0 ? [...reasons].join(', or ') : undefined;
}
