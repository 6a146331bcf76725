import { bases, type RestBase } from '../compile/rest-directive.ts';
import type { SecurityScheme } from './document.ts';

/** The bases that are served, and where. */
export type ServedBases = Partial<Record<RestBase, { prefix: string }>>;

const gatewayKeys = ['gatewayKey', 'gatewayKeyAsBearer', 'gatewayKeyAsApiKey'];
const accessTokens = ['accessToken'];

/** Whose credentials a base takes. */
const schemesOf: Record<RestBase, string[]> = {
  V1: [...gatewayKeys, ...accessTokens],
  V2: accessTokens,
  ADMIN_V2: accessTokens,
  IAM_V1: accessTokens,
  V0_1: [...gatewayKeys, ...accessTokens],
  ROOT: [],
};

const schemes: Record<string, SecurityScheme> = {
  gatewayKey: { type: 'apiKey', in: 'header', name: 'x-gateway-api-key', description: 'A gateway key.' },
  gatewayKeyAsBearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A gateway key where `Authorization` is not needed for a provider.',
  },
  gatewayKeyAsApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      'A gateway key where neither `x-gateway-api-key` nor a bearer holds one, as SDKs of Anthropic send it.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token of a service account.',
  },
  basic: { type: 'http', scheme: 'basic', description: 'Client id and client secret of a service account.' },
};

/** True for the bases on which a gateway key is no credential. */
export const takesTokensAlone = (base: RestBase): boolean => schemesOf[base] === accessTokens;

/** One of the credentials that the base takes is enough. */
export const securityOf = (base: RestBase): Record<string, string[]>[] =>
  schemesOf[base].map((name) => ({ [name]: [] }));

/** The schemes of the bases that are served, and of the authentication service. */
export const securitySchemes = (served: ServedBases): Record<string, SecurityScheme> => {
  const names = new Set(['basic', ...bases.flatMap((base) => (served[base] ? schemesOf[base] : []))]);
  return Object.fromEntries(Object.entries(schemes).filter(([name]) => names.has(name)));
};
