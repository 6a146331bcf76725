import { authorize as withKey } from '../../credentials/anthropic.ts';
import { awsAuthorize } from '../../credentials/aws/authorize.ts';
import type { Provider } from '../../provider.ts';

const signed = awsAuthorize('aws-external-anthropic', 'Claude Platform on AWS', () => {});

/** Anthropic's headers and key, the workspace, and AWS's signature where there is a key pair. */
export const authorize: Provider['authorize'] = (request, credential, fetch) => {
  const { anthropic_aws_workspace_id: workspace } = credential.settings;
  if (workspace !== undefined) request.headers['anthropic-workspace-id'] = workspace;
  void withKey(request, credential, fetch);
  return signed(request, credential, fetch);
};
