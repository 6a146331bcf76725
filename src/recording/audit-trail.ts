/** One administrative action, done or refused. Secrets are already redacted. */
export type AuditEntry = {
  organisationId: string;
  workspaceId: string | null;
  userId: string;
  userType: 'user' | 'api_key';
  resourceType: string;
  action: string;
  targetId: string | null;
  outcome: 'success' | 'refused' | 'failed';
  responseStatusCode: number;
  method: string;
  uri: string;
  requestId: string;
  requestBody: string;
  queryParams: string;
  requestHeaders: string;
  clientIp: string;
  userAgent: string;
  timestamp: Date;
};

export type AuditTrail = {
  /** Resolves when the entry is durable: in the database or, while that is down, in the spool file on disk. */
  record(entry: AuditEntry): Promise<void>;
};
