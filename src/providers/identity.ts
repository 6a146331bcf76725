/** A key pair of AWS; keys of a role come with a session. */
export type AwsKeys = { id: string; secret: string; session: string | undefined };

/** An application of Entra that trusts the identity of this process; what is absent is what Azure has set for it. */
export type TrustingApplication = { tenantId?: string; clientId?: string; managedClientId?: string };

/**
 * What the gateway itself may prove to a cloud. A call has it only where its operator lends it to integrations and where
 * the call goes to the provider's own host.
 */
export type OwnIdentity = {
  /** A token for a resource of Azure as a managed identity, whose client id chooses among several. */
  managedToken(resource: string, clientId: string | undefined): Promise<string>;
  /** A token that Entra issues to such an application. */
  entraToken(application: TrustingApplication, scope: string): Promise<string>;
  /** The keys of the role under which this process runs. */
  awsKeys(region: string): Promise<AwsKeys>;
};
