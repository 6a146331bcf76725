/** What the data plane holds in memory and must hear about when an administrator changes it. */
export type ChangeKind = 'organisation' | 'workspace' | 'api_key' | 'integration' | 'provider' | 'config';

export type Changes = {
  /**
   * Call after every write of such a resource. When it resolves, this process already acts on the new state; the other
   * processes of the installation do within a second.
   */
  publish(kind: ChangeKind): Promise<void>;
};
