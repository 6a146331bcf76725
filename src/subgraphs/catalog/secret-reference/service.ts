import { requireScope } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { slugFrom, uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { mcpIntegrationModel } from '../../mcp/mcp-integration/index.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import { guardrailModel } from '../../routing/guardrail/index.ts';
import type {
  CreateSecretReferenceInput,
  QuerySecretReferencesArgs,
  UpdateSecretReferenceInput,
} from '../../types.generated.ts';
import { ifUnchanged, notWritten, orAlreadyExists } from '../../writes.ts';
import { namedWorkspaces, visibleByAllowance } from '../allowed-workspaces.ts';
import { integrationModel } from '../integration/index.ts';
import { providerModel } from '../provider/index.ts';
import { parseTags, tagFilter } from '../tags.ts';
import { getSecretReference, referenceNotFound } from './find.ts';
import { type SecretReferenceDocument, secretReferenceModel } from './model.ts';
import { checkedAuth, requirePath, storedAuth, unsealAuth } from './sealed-auth.ts';

type ListArguments = QuerySecretReferencesArgs & SortedPageArguments;

/** Users of each kind that a refusal to delete names. */
const NAMED_USERS = 5;

export async function listSecretReferences(context: GraphContext, args: ListArguments) {
  const principal = requireScope(context.principal, ['secret_references.list']);
  return findPage(
    secretReferenceModel(context.db),
    {
      $and: [
        visibleByAllowance(principal),
        args.managerType ? { managerType: args.managerType } : {},
        tagFilter(args.tags),
        resourceFilter({ name: args.search }),
      ],
    },
    args,
    orderOf(args.sort),
  );
}

export async function createSecretReference(context: GraphContext, input: CreateSecretReferenceInput) {
  const principal = requireScope(context.principal, ['secret_references.create']);
  const { organisationId } = principal;
  const { managerType } = input;
  if (input.organisationId && input.organisationId !== organisationId)
    throw invalidInput('input.organisationId', 'organisation_id must be the organisation of the credential.');
  requirePath(managerType, input.secretPath);
  const auth = checkedAuth(context, managerType, {}, input.authConfig);
  const _id = uuid();
  const created = await orAlreadyExists(
    secretReferenceModel(context.db).create({
      _id,
      organisationId,
      slug: input.slug ?? slugFrom(input.name),
      name: input.name,
      description: input.description ?? null,
      managerType,
      ...storedAuth(context.secrets, managerType, auth, _id),
      secretPath: input.secretPath,
      secretKey: input.secretKey ?? null,
      ...(await allowanceMembers(context, organisationId, input)),
      tags: parseTags(input.tags),
      createdBy: principal.userId ?? principal.id,
    }),
  );
  await context.changes.publish('secret_reference');
  return created.toObject<SecretReferenceDocument>();
}

export async function updateSecretReference(
  context: GraphContext,
  id: string,
  input: UpdateSecretReferenceInput,
) {
  const reference = await getSecretReference(context, id, 'secret_references.update');
  const { _id, organisationId, managerType, auth: before, sealedSecrets } = reference;
  if (Object.values(input).every((member) => member === undefined))
    throw invalidInput('input', 'An update names at least one member.');
  if (input.secretPath != null) requirePath(managerType, input.secretPath);
  const auth =
    input.authConfig == null
      ? null
      : checkedAuth(context, managerType, unsealAuth(context.secrets, reference), input.authConfig);
  const updated = await secretReferenceModel(context.db)
    .findOneAndUpdate(
      // What was merged with an auth config that is no more would bring that one back.
      { _id, organisationId, ...(auth && { auth: before, sealedSecrets }), ...ifUnchanged(context) },
      {
        ...(input.name != null && { name: input.name }),
        ...(input.description !== undefined && { description: input.description }),
        ...(auth && storedAuth(context.secrets, managerType, auth, _id)),
        ...(input.secretPath != null && { secretPath: input.secretPath }),
        ...(input.secretKey !== undefined && { secretKey: input.secretKey }),
        ...(await allowanceMembers(context, organisationId, input)),
        ...(input.tags !== undefined && { tags: parseTags(input.tags) }),
      },
      { returnDocument: 'after' },
    )
    .lean<SecretReferenceDocument>();
  if (!updated) throw notWritten(context, auth ? changedByOthers() : referenceNotFound());
  await context.changes.publish('secret_reference');
  return updated;
}

const changedByOthers = () =>
  new GatewayError('ALREADY_EXISTS', {
    message: 'The secret reference is being changed by others; read it again and retry.',
  });

/** Which workspaces may use it, as far as an input says so: naming some ends the allowance for all, and the reverse. */
async function allowanceMembers(
  context: GraphContext,
  organisationId: string,
  { allowAllWorkspaces: all, allowedWorkspaces: named }: UpdateSecretReferenceInput,
) {
  if (all === true && named?.length)
    throw invalidInput(
      'input.allowedWorkspaces',
      'allowed_workspaces names some workspaces, and allow_all_workspaces allows all: send one of them.',
    );
  if (all === true) return { allowAllWorkspaces: true, allowedWorkspaces: [] };
  const isNamed = named !== undefined && named !== null;
  return {
    ...((all === false || isNamed) && { allowAllWorkspaces: false }),
    ...(isNamed && { allowedWorkspaces: await namedWorkspaces(context, organisationId, named) }),
  };
}

export async function deleteSecretReference(context: GraphContext, id: string): Promise<string> {
  const { _id, organisationId, slug } = await getSecretReference(context, id, 'secret_references.delete');
  const users = { organisationId, 'secretMappings.secretReferenceId': _id };
  const limit = NAMED_USERS + 1;
  const integrations = await integrationModel(context.db).find(users, { slug: 1 }, { limit }).lean<User[]>();
  const providers = await providerModel(context.db).find(users, { slug: 1 }, { limit }).lean<User[]>();
  const guardrails = await guardrailModel(context.db)
    .find({ organisationId, secretReferences: slug }, { slug: 1 }, { limit })
    .lean<User[]>();
  const servers = await mcpIntegrationModel(context.db).find(users, { slug: 1 }, { limit }).lean<User[]>();
  if (integrations.length + providers.length + guardrails.length + servers.length > 0)
    throw inUse([
      named('integrations', integrations),
      named('providers', providers),
      named('guardrails', guardrails),
      named('MCP integrations', servers),
    ]);
  const { deletedCount } = await secretReferenceModel(context.db).deleteOne({
    _id,
    organisationId,
    ...ifUnchanged(context),
  });
  if (deletedCount === 0) throw notWritten(context, referenceNotFound());
  await context.changes.publish('secret_reference');
  return _id;
}

type User = { slug: string };

function named(what: string, users: readonly User[]): string | null {
  if (users.length === 0) return null;
  const slugs = users.slice(0, NAMED_USERS).map(({ slug }) => slug);
  return `the ${what} ${slugs.join(', ')}${users.length > NAMED_USERS ? ' and more' : ''}`;
}

const inUse = (users: readonly (string | null)[]): GatewayError =>
  new GatewayError('IN_USE', {
    message: `The secret reference is used by ${users.filter(Boolean).join(' and ')}; take it out of their secret_mappings and parameters first.`,
  });
