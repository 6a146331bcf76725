import { GatewayError } from '../../src/errors/index.ts';
import { locationOf, type ScimEndpoint, type ScimExchange } from './exchange.ts';
import { listResponse, MAX_COUNT } from './list-query.ts';
import { schemaIds } from './schema-ids.ts';
import { schemas } from './schemas.ts';

const supported = (supported: boolean) => ({ supported });

/** `/ServiceProviderConfig` */
export const serviceProviderConfig: ScimEndpoint = {
  GET: ({ context }) => ({
    status: 200,
    body: {
      schemas: [schemaIds.serviceProviderConfig],
      patch: supported(true),
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: MAX_COUNT },
      changePassword: supported(false),
      sort: supported(false),
      etag: supported(false),
      authenticationSchemes: [
        {
          type: 'oauthbearertoken',
          name: 'Bearer token',
          description: 'A service key of the organisation, or an access token.',
          primary: true,
        },
      ],
      meta: {
        resourceType: 'ServiceProviderConfig',
        location: locationOf(context, 'ServiceProviderConfig'),
      },
    },
  }),
};

type Described = { id: string; [member: string]: unknown };

const resourceTypes: Described[] = [
  { name: 'User', endpoint: '/Users', description: 'A person of the organisation.', schema: schemaIds.user },
  { name: 'Group', endpoint: '/Groups', description: 'People who get the same.', schema: schemaIds.group },
].map((type) => ({ schemas: [schemaIds.resourceType], id: type.name, ...type }));

/** A list of what never changes, or one item of it by its id. */
const described = (items: Described[], place: string): ScimEndpoint => ({
  GET(exchange: ScimExchange) {
    const withMeta = (item: Described) => ({
      ...item,
      meta: {
        resourceType: place.slice(0, -1),
        location: locationOf(exchange.context, `${place}/${item.id}`),
      },
    });
    if (exchange.id === null) {
      const resources = items.map(withMeta);
      return { status: 200, body: listResponse({ totalResults: items.length, startIndex: 1 }, resources) };
    }
    const found = items.find(({ id }) => id.toLowerCase() === exchange.id?.toLowerCase());
    if (!found)
      throw new GatewayError('NOT_FOUND', { message: `There is nothing with this id in ${place}.` });
    return { status: 200, body: withMeta(found) };
  },
});

/** `/ResourceTypes` */
export const resourceTypeList = described(resourceTypes, 'ResourceTypes');

/** `/Schemas` */
export const schemaList = described(schemas, 'Schemas');
