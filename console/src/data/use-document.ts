import {
  keepPreviousData,
  type QueryKey,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { Document } from './document.ts';
import type { GraphError } from './graph-error.ts';
import { run } from './run.ts';
import { useWorkspace } from './workspace.ts';

type QueryOptions<Answer> = {
  /** Nothing is asked while it is false. */
  isEnabled?: boolean;
  /** Milliseconds for which an answer counts as fresh. */
  freshFor?: number;
  /** Milliseconds after which the same is asked again, by the latest of so many answers; null for never. */
  askAgain?(answer: Answer, answers: number): number | null;
};

/** By what an answer is kept. */
export const keyOf = <Answer, Variables>(
  document: Document<Answer, Variables>,
  workspace: string | null,
  variables: Variables,
): QueryKey => [document.name, workspace, variables];

/** What the graph answers to a query in the workspace of the page. The answer before stays in sight until the next one is there. */
export function useDocument<Answer, Variables>(
  document: Document<Answer, Variables>,
  variables: Variables,
  { isEnabled = true, freshFor = 5000, askAgain = () => null }: QueryOptions<Answer> = {},
): UseQueryResult<Answer, GraphError> {
  const workspace = useWorkspace();
  return useQuery<Answer, GraphError>({
    queryKey: keyOf(document, workspace, variables),
    queryFn: ({ signal }) => run(document, variables, { workspace, signal }),
    enabled: isEnabled,
    staleTime: freshFor,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data === undefined ? false : (askAgain(data, dataUpdateCount) ?? false),
    placeholderData: keepPreviousData,
  });
}

type OperationOptions<Answer> = {
  /** Names of the queries whose answers it changes. */
  changes?: readonly string[];
  onDone?(answer: Answer): void;
};

/** A mutation in the workspace of the page; what it changes is read anew. */
export function useOperation<Answer, Variables>(
  document: Document<Answer, Variables>,
  { changes = [], onDone }: OperationOptions<Answer> = {},
): UseMutationResult<Answer, GraphError, Variables> {
  const workspace = useWorkspace();
  const queries = useQueryClient();
  return useMutation<Answer, GraphError, Variables>({
    mutationFn: (variables) => run(document, variables, { workspace }),
    async onSuccess(answer) {
      onDone?.(answer);
      await Promise.all(changes.map((name) => queries.invalidateQueries({ queryKey: [name] })));
    },
    // An answer may hold a secret, which nothing keeps once the page is left.
    gcTime: 0,
  });
}
