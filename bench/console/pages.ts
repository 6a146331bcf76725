const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** What there is to be shown: ids of one of each, and of a log far down in the list. */
export type Shown = {
  log: string;
  traceId: string;
  workspace: { id: string; slug: string };
  apiKey: string;
  config: string;
  integration: string;
  limit: string;
  guardrail: string;
  logExport: string;
  assistant: string;
  thread: string;
  file: string;
  vectorStore: string;
  mcpServer: string;
};

/** One way in which a page asks, and the milliseconds that its answer may take. */
export type Asked = {
  /** What is special about it, where a page asks in several ways. */
  as?: string;
  variables: object;
  budgetMs: number;
  /** A key of the organisation asks, unless what is shown belongs to a workspace. */
  ofWorkspace?: boolean;
  /** The service account of the installation asks. */
  ofAccount?: boolean;
};

/** A page whose figures have no budget of their own is to stand within a second. */
const PAGE_MS = 1000;
/** What opens on a page that stands already. */
const PART_MS = 300;

/** How the pages of the console ask, by the name of the query in their documents; `days`: over how many days the logs are. */
export function asked(now: Date, days: number, shown: Shown): Record<string, Asked[]> {
  const ago = (time: number) => new Date(now.getTime() - time);
  const month = { min: ago(days * DAY), max: now };
  const day = { min: ago(DAY), max: now };
  const rare = { apiKeyIds: ['00000000-0000-7000-8000-000000000019'], statusCode: [500] };
  const byTime = { field: 'createdAt', direction: 'desc' };
  const chart = { from: month.min, to: now, workspace: null, zone: 'UTC', chart: true };
  const spend = { by: 'model', mayKeys: true, zone: 'Europe/Berlin', month: ago(27 * DAY), isOpen: true };
  const mayAll = { mayLogs: true, mayAudit: true, mayKeys: true, mayConfigs: true, mayLimits: true };
  const page = (variables: object = {}, budgetMs = PAGE_MS): Asked[] => [{ variables, budgetMs }];
  const part = (variables: object = {}): Asked[] => page(variables, PART_MS);
  const own = (variables: object, budgetMs = PART_MS): Asked[] => [
    { variables, budgetMs, ofWorkspace: true },
  ];
  return {
    Viewer: part(),
    WelcomeState: page(),
    WelcomePresets: part(),
    PaletteResources: part({ name: 'a', keys: true, configs: true, providers: true, workspaces: true }),
    Home: page({ ...day, before: ago(2 * DAY), ...mayAll }, 500),
    LogsOpen: [
      { as: 'first rows with histogram', variables: { ...chart, filters: null }, budgetMs: 1000 },
      {
        as: 'by key and status',
        variables: { ...chart, from: ago(DAY), filters: rare, chartFilters: rare },
        budgetMs: PART_MS,
      },
    ],
    LogsMore: [{ as: 'the 500th page', variables: { after: shown.log }, budgetMs: PART_MS }],
    LogsSorted: [
      {
        as: 'counted by status',
        variables: { filters: { statusCode: [400] }, sort: byTime, page: 1 },
        budgetMs: PART_MS,
      },
      {
        as: 'counted by metadata',
        variables: { filters: { metadata: { team: 'team-39' } }, sort: byTime, page: 1 },
        budgetMs: PART_MS,
      },
      {
        as: 'the dearest',
        variables: { sort: { field: 'cost', direction: 'desc' }, page: 1 },
        budgetMs: PART_MS,
      },
    ],
    LogNames: page({ keys: true }),
    LogShown: [{ variables: { id: shown.log }, budgetMs: PART_MS, ofWorkspace: true }],
    LogTrace: part({ traceId: shown.traceId }),
    SavedLogViews: part(),
    LogExportBounds: part({ workspace: shown.workspace.slug }),
    LogExportShown: part({ id: shown.logExport, isWritten: false }),
    Spend: [
      {
        as: '400 days',
        variables: { ...spend, ...month, min: ago(400 * DAY), before: ago(800 * DAY) },
        budgetMs: 1500,
      },
      {
        as: 'the month in a zone of half hours',
        variables: { ...spend, ...month, before: ago(2 * days * DAY), zone: 'Asia/Kolkata' },
        budgetMs: 1500,
      },
    ],
    SpendByMetadata: page({ ...month, key: 'team' }, 1500),
    Providers: page({ ...day, mayFigures: true }),
    ProviderKinds: part(),
    ProviderDetail: part({ id: shown.integration }),
    Configs: page({ workspaceId: shown.workspace.id }),
    ConfigDetail: part({ id: shown.config }),
    ConfigSchema: part(),
    ValidateConfig: part({
      input: { workspaceId: shown.workspace.id, config: { strategy: { mode: 'fallback' }, targets: [] } },
    }),
    SimulateConfig: part({
      input: { workspaceId: shown.workspace.id, configId: shown.config, params: { model: 'mock-1' } },
    }),
    Keys: page({ from: month.min, to: now, use: true, workspace: shown.workspace.slug }),
    KeyShown: part({ id: shown.apiKey, ids: [shown.apiKey], from: month.min, to: now, use: true }),
    KeyChoices: part({ type: 'workspace-service' }),
    Limits: page({ workspace: shown.workspace.id, mayKeys: true }),
    LimitShown: part({
      id: shown.limit,
      limitId: shown.limit,
      isRate: false,
      mayKeys: true,
      mayLogs: true,
      since: ago(DAY),
    }),
    LimitCallers: part(),
    WeighCall: part({
      input: {
        apiKeyId: shown.apiKey,
        path: '/v1/chat/completions',
        body: { model: '@mock/mock-1', messages: [] },
      },
    }),
    Guardrails: page({ workspace: shown.workspace.id }),
    GuardrailShown: part({ id: shown.guardrail }),
    GuardrailCheckKinds: part(),
    GuardrailCatalogue: part(),
    TryGuardrails: [
      {
        variables: { input: { text: 'Nothing is wrong here.', guardrailIds: [shown.guardrail] } },
        budgetMs: PART_MS,
        ofWorkspace: true,
      },
    ],
    GuardrailsInForce: part({ workspace: shown.workspace.id }),
    Assistants: own({}, PAGE_MS),
    AssistantShown: own({ id: shown.assistant }),
    ThreadShown: own({ id: shown.thread }),
    Files: own({}, PAGE_MS),
    FileShown: own({ id: shown.file }),
    VectorStores: own({}, PAGE_MS),
    VectorStoreShown: own({ id: shown.vectorStore }),
    VectorStoreHits: own({ id: shown.vectorStore, input: { query: 'Who nests in trees?' } }),
    Batches: own({}, PAGE_MS),
    McpServers: page({ workspace: shown.workspace.id }),
    McpServerShown: [{ variables: { id: shown.mcpServer }, budgetMs: PART_MS, ofWorkspace: true }],
    McpIntegrations: part({ workspace: shown.workspace.id }),
    PlaygroundChoices: page({ workspace: shown.workspace.id, mayConfigs: true }),
    PlaygroundLog: part({ trace: shown.traceId }),
    ReplayedLog: [{ variables: { id: shown.log }, budgetMs: PART_MS, ofWorkspace: true }],
    Settings: page(),
    OwnSettings: part({ user: shown.apiKey, mayViews: true }),
    Installed: part(),
    Access: page({ mayWorkspaces: true }),
    Identities: [
      {
        variables: { mayAccounts: true, mayRoles: true, mayPolicies: true, mayTenants: true },
        budgetMs: PAGE_MS,
        ofAccount: true,
      },
    ],
    WorkspaceMembers: part({ workspace: shown.workspace.id }),
    Audit: page({ ...month, filters: null, page: 1 }),
    AuditChain: part({ after: 0 }),
  };
}
