import { awsAuthorize } from '../../credentials/aws/authorize.ts';

export const authorize = awsAuthorize('bedrock', 'Bedrock');
