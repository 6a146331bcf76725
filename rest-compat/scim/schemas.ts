import { schemaIds } from './schema-ids.ts';

type Described = {
  name: string;
  type: 'string' | 'boolean' | 'complex' | 'reference';
  description: string;
  multiValued: boolean;
  required: boolean;
  mutability: 'readWrite' | 'readOnly' | 'immutable';
  returned: 'default';
  uniqueness?: 'none' | 'server';
  caseExact?: boolean;
  referenceTypes?: string[];
  subAttributes?: Described[];
};

/** An attribute with what most of them have (RFC 7643, section 2.2). */
const attribute = (name: string, description: string, own: Partial<Described> = {}): Described => ({
  name,
  type: 'string',
  description,
  multiValued: false,
  required: false,
  mutability: 'readWrite',
  returned: 'default',
  ...((own.type ?? 'string') === 'string' && { uniqueness: 'none' as const, caseExact: false }),
  ...own,
});

const externalId = attribute('externalId', "The client's own id.", { caseExact: true });

/** The attributes that are kept; others of the standard may be sent, and are not. */
export const schemas = [
  {
    schemas: [schemaIds.schema],
    id: schemaIds.user,
    name: 'User',
    description: 'A person of the organisation.',
    attributes: [
      attribute('userName', 'By which the client knows the user.', { required: true, uniqueness: 'server' }),
      externalId,
      attribute('name', 'The parts of the name.', {
        type: 'complex',
        subAttributes: [
          attribute('formatted', 'Both parts.', { mutability: 'readOnly' }),
          attribute('givenName', 'First name.'),
          attribute('familyName', 'Last name.'),
        ],
      }),
      attribute('displayName', 'As the client shows the user.'),
      attribute('emails', 'One address: the primary one is kept.', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', 'The address.', { uniqueness: 'server' }),
          attribute('type', 'Always work.', { mutability: 'readOnly' }),
          attribute('primary', 'Always true.', { type: 'boolean', mutability: 'readOnly' }),
        ],
      }),
      attribute('active', 'Whether the user may do anything.', { type: 'boolean' }),
    ],
  },
  {
    schemas: [schemaIds.schema],
    id: schemaIds.group,
    name: 'Group',
    description: 'People who get the same workspaces and roles.',
    attributes: [
      attribute('displayName', 'The name of the group.', { required: true, uniqueness: 'server' }),
      externalId,
      attribute('members', 'Users of the organisation.', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', 'Id of the user.', { mutability: 'immutable', caseExact: true }),
          attribute('$ref', 'Address of the user.', {
            type: 'reference',
            mutability: 'readOnly',
            referenceTypes: ['User'],
          }),
          attribute('type', 'Always User.', { mutability: 'readOnly' }),
        ],
      }),
    ],
  },
];
