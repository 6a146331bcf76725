import { bases, type RestBase } from '../rest-directive.ts';
import type { SecurityScheme } from './document.ts';

/** The bases that are served, and where. */
export type ServedBases = Partial<Record<RestBase, { prefix: string }>>;

const gatewayKeys = ['gatewayKey', 'gatewayKeyAsBearer'];
const accessTokens = ['accessToken'];

/** Whose credentials a base takes. */
const schemesOf: Record<RestBase, string[]> = {
  V1: gatewayKeys,
  V2: accessTokens,
  ADMIN_V2: accessTokens,
  IAM_V1: accessTokens,
};

const schemes: Record<string, SecurityScheme> = {
  gatewayKey: { type: 'apiKey', in: 'header', name: 'x-gateway-api-key', description: 'A gateway key.' },
  gatewayKeyAsBearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A gateway key where `Authorization` is not needed for a provider.',
  },
  accessToken: { type: 'http', scheme: 'bearer', description: 'An access token of a service account.' },
};

/** One of the credentials that the base takes is enough. */
export const securityOf = (base: RestBase): Record<string, string[]>[] =>
  schemesOf[base].map((name) => ({ [name]: [] }));

/** The schemes of the bases that are served. */
export const securitySchemes = (served: ServedBases): Record<string, SecurityScheme> => {
  const names = new Set(bases.flatMap((base) => (served[base] ? schemesOf[base] : [])));
  return Object.fromEntries(Object.entries(schemes).filter(([name]) => names.has(name)));
};
