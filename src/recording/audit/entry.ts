/** One member of the target that an action changed; secrets are masked. */
export type AuditChange = {
  member: string;
  /** Null too where the member is no plain value. */
  before: PlainValue | null;
  after: PlainValue | null;
};

export type PlainValue = string | number | boolean | readonly (string | number | boolean)[];

/** One administrative action, done or refused. Secrets are already redacted. */
export type AuditEntry = {
  organisationId: string;
  workspaceId: string | null;
  /** Id of the user, the API key or the JWT's subject; client id of a service account. */
  userId: string;
  /** As the user or credential was called at that time. */
  userName?: string;
  userType: 'user' | 'api_key' | 'service_account' | 'jwt';
  resourceType: string;
  action: string;
  targetId: string | null;
  /** What the target was called when the action was over; absent in entries of versions that did not note it. */
  targetName?: string | null;
  changes?: readonly AuditChange[];
  /** Keyed hashes of the target as it was stored before and after the action; null where it did not exist. */
  beforeDigest?: string | null;
  afterDigest?: string | null;
  outcome: 'success' | 'refused' | 'failed';
  responseStatusCode: number;
  method: string;
  uri: string;
  requestId: string;
  requestBody: string;
  queryParams: string;
  requestHeaders: string;
  clientIp: string;
  /** Two letters; absent in entries of versions that did not note it. */
  country?: string | null;
  userAgent: string;
  timestamp: Date;
};

/** An entry that has its id, but no place in the chain yet. */
export type IdentifiedAuditEntry = AuditEntry & { _id: string };
