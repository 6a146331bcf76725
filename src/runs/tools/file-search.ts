import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { z } from 'zod';
import { GatewayError } from '../../errors/index.ts';
import {
  isExpired,
  type Knowledge,
  type KnowledgeResult,
  rankingOf,
  type VectorStoreDocument,
} from '../../knowledge/index.ts';
import type { Secrets } from '../../storage/secrets.ts';
import { callHeaders } from '../caller.ts';
import { ToolFailed } from '../deps.ts';
import type { RunDocument } from '../run.ts';
import type { FunctionDefinition, ToolResources } from '../settings.ts';
import type { HostedTool, ToolContext, ToolOutput } from './tool.ts';

type ThreadOfRun = { _id: string; organisationId: string; workspaceId: string; toolResources: ToolResources };

export type FileSearchDeps = {
  knowledge: Pick<Knowledge, 'search' | 'counts'>;
  stores(): Collection<VectorStoreDocument>;
  threads(): Collection<ThreadOfRun>;
  secrets: Secrets;
  now: () => Date;
};

/** Results where the tool says nothing; small models get fewer. */
const MOST_RESULTS = { usual: 20, small: 5 } as const;
/** Tokens of text that one call gives to the model. */
const MOST_TOKENS = { usual: 16_000, small: 4000 } as const;
/** Milliseconds for which a search waits for files that were attached to the thread. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 200;
/** Characters of a file's name in a marker. */
const MAX_NAME = 40;

const definition: FunctionDefinition = {
  name: 'file_search',
  description:
    'Searches the files of the user and the assistant. Cite what you use by copying the marker that stands before it, such ' +
    'as 【0:12†report.pdf】, behind the sentence.',
  parameters: {
    type: 'object',
    properties: {
      queries: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: 5,
        description: 'What to look for: one to five short texts.',
      },
    },
    required: ['queries'],
    additionalProperties: false,
  },
};

const callArguments = z.object({ queries: z.array(z.string().trim().min(1).max(4096)).min(1).max(5) });

const options = z.object({
  file_search: z
    .object({
      max_num_results: z.number().optional(),
      ranking_options: z
        .object({
          ranker: z.string().optional(),
          score_threshold: z.number().optional(),
          hybrid_search: z.object({ embedding_weight: z.number(), text_weight: z.number() }).nullish(),
        })
        .optional(),
    })
    .optional(),
});

/** Searches the vector stores of the assistant and of the thread for the model. */
export function createFileSearch(deps: FileSearchDeps): HostedTool {
  return {
    type: 'file_search',
    offer: async (run) => ((await storesOf(deps, run)).length === 0 ? [] : [{ definition }]),
    async call({ id, arguments: given }, context): Promise<ToolOutput> {
      const { run, signal, tell } = context;
      const { most, ranking, choice } = optionsOf(run);
      const queries = queriesIn(given);
      if (!queries) {
        const output = 'The arguments must be an object with `queries`: one to five texts.';
        return { output, details: { ranking_options: ranking, results: [] } };
      }
      const stores = await storesOf(deps, run);
      await indexed(deps, context, stores);
      const search = deps.knowledge.search(stores, {
        texts: queries,
        filter: null,
        ranking: choice,
        most,
        threshold: ranking.score_threshold,
        headers: callHeaders(deps.secrets, run),
        signal,
      });
      const found = await search.catch((error: unknown) => {
        throw error instanceof GatewayError ? new ToolFailed(error.message) : error;
      });
      const results = withinTokens(found, isSmall(run) ? MOST_TOKENS.small : MOST_TOKENS.usual);
      const details = { ranking_options: ranking, results: results.map(shown) };
      tell(details);
      return { details, ...cited(results, firstNumber(run, id)) };
    },
  };
}

/** The stores that a run searches, the thread's first. Throws ToolFailed for one that is gone or has expired. */
async function storesOf(
  { stores, threads, now }: FileSearchDeps,
  { threadId, organisationId, workspaceId, toolResources }: RunDocument,
): Promise<VectorStoreDocument[]> {
  const tenant = { organisationId, workspaceId };
  const thread = await threads().findOne({ _id: threadId, ...tenant });
  const ids = [thread?.toolResources ?? {}, toolResources].flatMap(
    ({ file_search: search }) => search?.vector_store_ids ?? [],
  );
  const unique = [...new Set(ids)];
  if (unique.length === 0) return [];
  const found = await stores()
    .find({ _id: { $in: unique }, ...tenant })
    .toArray();
  return unique.map((id) => {
    const store = found.find(({ _id }) => _id === id);
    if (!store) throw new ToolFailed(`No vector store found with id '${id}'.`);
    if (isExpired(store, now())) throw new ToolFailed(`Vector store ${id} is expired.`);
    return store;
  });
}

/** Waits for files that are still being indexed, for a minute at most. */
async function indexed(
  { knowledge, stores: collection }: FileSearchDeps,
  { signal }: ToolContext,
  stores: VectorStoreDocument[],
): Promise<void> {
  const ids = stores.map(({ _id }) => _id);
  const deadline = Date.now() + PATIENCE_MS;
  let hasWaited = false;
  for (;;) {
    const counts = await knowledge.counts('storeId', ids);
    const isDone = [...counts.values()].every(({ in_progress: waiting }) => waiting === 0);
    if (isDone || Date.now() >= deadline) break;
    hasWaited = true;
    await pause(LOOK_MS, undefined, { signal });
  }
  if (!hasWaited) return;
  const now = await collection()
    .find({ _id: { $in: ids } })
    .toArray();
  for (const store of stores)
    store.revision = now.find(({ _id }) => _id === store._id)?.revision ?? store.revision;
}

const isSmall = ({ model }: RunDocument): boolean => /gpt-3\.5/.test(model);

function optionsOf(run: RunDocument) {
  const tool = run.tools.find(({ type }) => type === 'file_search');
  const given = options.safeParse(tool).data?.file_search ?? {};
  const usual = isSmall(run) ? MOST_RESULTS.small : MOST_RESULTS.usual;
  const { score_threshold = 0, ...asked } = given.ranking_options ?? {};
  const choice = rankingOf(asked);
  return {
    most: given.max_num_results ?? usual,
    choice,
    /** As steps show it. */
    ranking: { ranker: choice.ranker === 'auto' ? DEFAULT_RANKER : choice.ranker, score_threshold },
  };
}

/** What `auto` is shown as. */
const DEFAULT_RANKER = 'default_2024_08_21';

function queriesIn(text: string): string[] | null {
  try {
    return callArguments.safeParse(JSON.parse(text)).data?.queries ?? null;
  } catch {
    return null;
  }
}

/** As many of the best results as there is room for, and one at least. */
function withinTokens(found: readonly KnowledgeResult[], most: number): KnowledgeResult[] {
  let tokens = 0;
  return found.filter(({ text }, at) => {
    tokens += estimatedTokens(text);
    return at === 0 || tokens <= most;
  });
}

/** Four letters of ASCII to a token, and one of any other kind: more than most tokenizers count. */
function estimatedTokens(text: string): number {
  const others = text.replace(/[\0-\x7f]+/g, '').length;
  return (text.length - others) / 4 + others;
}

const shown = ({ fileId, filename, score, text }: KnowledgeResult) => ({
  file_id: fileId,
  file_name: filename,
  score,
  content: [{ type: 'text', text }],
});

function cited(results: readonly KnowledgeResult[], first: string): Pick<ToolOutput, 'output' | 'citations'> {
  const marked = results.map((result, at) => ({ ...result, marker: `【${first}${at}†${nameOf(result)}】` }));
  return {
    output:
      marked.length === 0
        ? 'Nothing was found.'
        : marked.map(({ marker, text }) => `${marker}\n${text}`).join('\n\n'),
    citations: marked.map(({ marker, fileId: file_id }) => ({
      marker,
      annotation: { type: 'file_citation', file_citation: { file_id } },
    })),
  };
}

const nameOf = ({ filename }: KnowledgeResult): string =>
  filename
    .replace(/[【】†\s]+/g, ' ')
    .slice(0, MAX_NAME)
    .trim();

/** The number that the markers of a call begin with: the same when the call is made again, and another for each call of a turn. */
const firstNumber = ({ turn }: RunDocument, callId: string): string =>
  `${turn}:${(Number.parseInt(hash('sha256', callId, 'hex').slice(0, 8), 16) % 9000) + 1000}`;
