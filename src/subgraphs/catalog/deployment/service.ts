import { requireScope, type Scope } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { customHostProblem } from '../../../lib/http/custom-host.ts';
import { slugFrom, uuid } from '../../../lib/ids.ts';
import { isObject } from '../../../lib/json.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { organisationWorkspaceIds, workspaceIdFor } from '../../identity/workspace/index.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type {
  CreateDeploymentInput,
  QueryDeploymentsArgs,
  UpdateDeploymentInput,
} from '../../types.generated.ts';
import { ifUnchanged, notWritten, orAlreadyExists } from '../../writes.ts';
import {
  allowedWorkspaceIds,
  namedWorkspaces,
  usableInWorkspace,
  visibleByAllowance,
} from '../allowed-workspaces.ts';
import { idOrSlug } from '../values.ts';
import { deploymentById } from './loaders.ts';
import { type DeploymentDocument, deploymentModel } from './model.ts';

type ListArguments = QueryDeploymentsArgs & SortedPageArguments;
type Input = CreateDeploymentInput | UpdateDeploymentInput;

/** Deployments that an organisation may have, by type; the schema says so too. */
const limits = { production: 100, 'non-production': 500 };
const maxConfigLength = 65_536;

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The deployment does not exist.' });
export async function getDeployment(context: GraphContext, id: string, scope: Scope = 'deployments.read') {
  const principal = requireScope(context.principal, [scope]);
  const found = await deploymentModel(context.db)
    .findOne({ $and: [idOrSlug(id), visibleByAllowance(principal)] })
    .lean<DeploymentDocument>();
  if (!found) throw notFound();
  return found;
}

/** For references from other resources: null when the deployment is gone or out of the credential's reach. */
export async function referencedDeployment(
  context: GraphContext,
  id: string,
): Promise<DeploymentDocument | null> {
  requireScope(context.principal, ['deployments.read']);
  return deploymentById(context).load(id);
}

export async function listDeployments(context: GraphContext, args: ListArguments) {
  const principal = requireScope(context.principal, ['deployments.list']);
  const workspaceId = args.workspaceId && (await workspaceIdFor(context, args.workspaceId));
  return findPage(
    deploymentModel(context.db),
    {
      $and: [
        visibleByAllowance(principal),
        workspaceId ? usableInWorkspace(workspaceId) : {},
        args.type ? { type: args.type as DeploymentDocument['type'] } : {},
        args.status ? { status: args.status } : {},
        resourceFilter({ ...args, name: args.search }),
      ],
    },
    args,
    orderOf(args.sort),
  );
}

export async function createDeployment(context: GraphContext, input: CreateDeploymentInput) {
  const principal = requireScope(context.principal, ['deployments.create']);
  const { organisationId } = principal;
  const members = await checkedMembers(context, organisationId, input);
  await requireRoom(context, organisationId, input.type);
  const created = await orAlreadyExists(
    deploymentModel(context.db).create({
      allowAllWorkspaces: !input.allowedWorkspaces?.length,
      ...members,
      _id: uuid(),
      organisationId,
      slug: input.slug ?? slugFrom(input.name),
      createdBy: principal.userId ?? principal.id,
    }),
  );
  const deployment = created.toObject<DeploymentDocument>();
  if (deployment.isDefault) await unmarkOthers(context, deployment);
  return deployment;
}

export async function updateDeployment(context: GraphContext, id: string, input: UpdateDeploymentInput) {
  const { _id, organisationId, type } = await getDeployment(context, id, 'deployments.update');
  const members = await checkedMembers(context, organisationId, input);
  if (input.type && input.type !== type) await requireRoom(context, organisationId, input.type);
  const updated = await deploymentModel(context.db)
    .findOneAndUpdate({ _id, organisationId, ...ifUnchanged(context) }, members, { returnDocument: 'after' })
    .lean<DeploymentDocument>();
  if (!updated) throw notWritten(context, notFound());
  if (input.isDefault) await unmarkOthers(context, updated);
  return updated;
}

export async function deleteDeployment(context: GraphContext, id: string): Promise<string> {
  const { _id, organisationId } = await getDeployment(context, id, 'deployments.delete');
  const { deletedCount } = await deploymentModel(context.db).deleteOne({
    _id,
    organisationId,
    ...ifUnchanged(context),
  });
  if (deletedCount === 0) throw notWritten(context, notFound());
  return _id;
}

/** The members that an input gives, in the form in which they are stored. */
async function checkedMembers(context: GraphContext, organisationId: string, input: Input) {
  const { name, description, type, url, mcpUrl, config, allowedWorkspaces: named } = input;
  requireSafeHost(url, 'input.url');
  requireSafeHost(mcpUrl, 'input.mcpUrl');
  requireConfig(config);
  return {
    ...(name != null && { name }),
    ...(description !== undefined && { description }),
    ...(type != null && { type: type as DeploymentDocument['type'] }),
    ...(url != null && { url }),
    ...(mcpUrl !== undefined && { mcpUrl }),
    ...(config !== undefined && { config }),
    ...(named !== undefined && {
      allowedWorkspaces: await namedWorkspaces(context, organisationId, named ?? []),
    }),
    ...(input.allowAllWorkspaces != null && { allowAllWorkspaces: input.allowAllWorkspaces }),
    ...(input.isDefault != null && { isDefault: input.isDefault }),
    ...('status' in input && input.status != null && { status: input.status }),
  };
}

function requireSafeHost(url: string | null | undefined, param: string): void {
  const problem = url && customHostProblem(url);
  if (problem) throw invalidInput(param, `${param} is refused: ${problem}.`);
}

function requireConfig(config: unknown): void {
  if (config === undefined || config === null) return;
  if (!isObject(config)) throw invalidInput('input.config', 'input.config must be an object.');
  if (JSON.stringify(config).length > maxConfigLength) {
    throw invalidInput('input.config', `input.config has at most ${maxConfigLength} characters.`);
  }
}

async function requireRoom(context: GraphContext, organisationId: string, given: string): Promise<void> {
  const type = given as DeploymentDocument['type'];
  if ((await deploymentModel(context.db).countDocuments({ organisationId, type })) < limits[type]) return;
  throw invalidInput(
    'input.type',
    `An organisation has at most ${limits[type]} deployments of the type ${type}.`,
  );
}

/** After the new default is stored: a change that fails leaves the old one in place. */
const unmarkOthers = (context: GraphContext, { _id, organisationId }: DeploymentDocument) =>
  deploymentModel(context.db).updateMany(
    { organisationId, isDefault: true, _id: { $ne: _id } },
    { isDefault: false },
  );

/** Number of workspaces that may use the deployment. */
export const countWorkspaces = async (
  context: GraphContext,
  deployment: DeploymentDocument,
): Promise<number> =>
  (deployment.allowAllWorkspaces
    ? await organisationWorkspaceIds(context)
    : await allowedWorkspaceIds(context, deployment)
  ).length;
