import type { Setting } from '../../setting.ts';

/** AWS credentials and the region, which a request may choose. */
export const awsSettings = {
  aws_access_key_id: { secret: true, pattern: /^\w{16,128}$/ },
  aws_secret_access_key: { secret: true, pattern: /^[\w+/=]{16,256}$/ },
  aws_session_token: { secret: true, pattern: /^[\w+/=%.-]+$/ },
  aws_region: { byRequest: true, pattern: /^[a-z]{2,4}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/ },
  aws_role_arn: { pattern: /^arn:aws[\w-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/ },
  aws_external_id: { pattern: /^[\w+=,.@:/-]{2,1024}$/ },
  aws_auth_type: { pattern: /^(?:accessKey|assumedRole|apiKey|serviceRole)$/ },
} satisfies Record<string, Setting>;
