import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type FormattedExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  getOperationAST,
  Kind,
} from 'graphql';
import type { GraphContext } from '../../../subgraphs/context.ts';
import type { Graph } from '../../composition/graph.ts';
import type { ServedGraph } from '../../composition/served-graph.ts';
import { startDeadline, untilAborted } from '../../safety/deadline.ts';
import type { Admitted, OperationRequest, Safety } from '../../safety/index.ts';
import { logDefects } from '../defects.ts';
import { causeOf } from '../errors.ts';
import { formatGraphError, requestError } from '../http-errors.ts';
import type { Session } from './sessions.ts';

/** An operation that may run. `renew` makes a new context for each of its events, and checks the credential again. */
export type AdmittedOperation = ExecutionArgs & {
  contextValue: GraphContext;
  renew(): Promise<GraphContext>;
};

export type Results = AsyncIterableIterator<ExecutionResult>;

export type Operations = {
  /** The operation, or the errors that refuse it, by the rules of every door of the graph. */
  admit(request: OperationRequest, session: Session): Promise<AdmittedOperation | readonly GraphQLError[]>;
  execute(operation: ExecutionArgs): Promise<ExecutionResult>;
  subscribe(operation: ExecutionArgs): Promise<ExecutionResult | Results>;
  /** Subscriptions that are open. */
  open(): number;
};

/** Runs the operations that come over connections which stay. */
export function createOperations(
  graph: Pick<Graph, 'schema'>,
  served: Pick<ServedGraph, 'schema' | 'execute'>,
  safety: Safety,
): Operations {
  let open = 0;

  /** Each event gets a context of its own: what one context has loaded is old by the next event. */
  function resultsOf(operation: AdmittedOperation, source: AsyncIterator<unknown>): Results {
    open++;
    let isOpen = true;
    async function close() {
      if (isOpen) open--;
      isOpen = false;
      await source.return?.();
      return { value: undefined, done: true } as const;
    }
    const results: Results = {
      async next() {
        try {
          const { value, done } = await source.next();
          if (done) return await close();
          const contextValue = await operation.renew();
          const result = await execute({ ...operation, contextValue, rootValue: value });
          requirePermission(result);
          return isOpen ? { value: logged(result, operation), done: false } : await close();
        } catch (error) {
          await close();
          throw error;
        }
      },
      return: close,
      // graphql-sse never calls this, but it ends only results that have it.
      async throw(error) {
        await close();
        throw error;
      },
      [Symbol.asyncIterator]: () => results,
    };
    return results;
  }

  return {
    async admit(request, session) {
      let { schema } = served;
      let admitted = safety.admit(schema, request);
      // Events come from the built-in subgraphs, and only what these know can be told with them.
      if (schema !== graph.schema && isSubscription(admitted)) {
        schema = graph.schema;
        admitted = safety.admit(schema, request);
      }
      if (Array.isArray(admitted)) return admitted;
      const contextValue = await session.renew();
      const operation: AdmittedOperation = { schema, ...admitted, contextValue, renew: session.renew };
      return operation;
    },
    async execute(operation) {
      const deadline = startDeadline(safety.timeout);
      const context = operation.contextValue as GraphContext;
      const signal = AbortSignal.any([deadline.signal, ...(context.signal ? [context.signal] : [])]);
      const contextValue = { ...context, signal };
      try {
        const result = await untilAborted(served.execute({ ...operation, contextValue }), signal);
        return logged(result, operation);
      } catch (error) {
        return { errors: [requestError(causeOf(error))] };
      } finally {
        deadline.end();
      }
    },
    async subscribe(operation) {
      const source = await createSourceEventStream(operation);
      return Symbol.asyncIterator in source
        ? resultsOf(operation as AdmittedOperation, source[Symbol.asyncIterator]())
        : logged(source, operation);
    },
    open: () => open,
  };
}

const isSubscription = (admitted: Admitted | readonly GraphQLError[]): boolean =>
  'document' in admitted &&
  getOperationAST(admitted.document, admitted.operationName)?.operation === 'subscription';

/** A subscription whose field the credential may no longer read is over, not merely empty. */
function requirePermission({ errors = [] }: ExecutionResult): void {
  for (const error of errors) {
    if (error.path?.length !== 1) continue;
    const cause = causeOf(error);
    if (cause.entry.status === 401 || cause.entry.status === 403) throw cause;
  }
}

function logged(result: ExecutionResult, { contextValue, operationName }: ExecutionArgs): ExecutionResult {
  if (result.errors) logDefects(result.errors, contextValue as GraphContext, operationName);
  return result;
}

/** A result as callers see it. */
export const formatResult = (result: ExecutionResult): FormattedExecutionResult => {
  const { errors, ...members } = result;
  return errors ? { ...members, errors: errors.map(formatError) } : members;
};

/** Over HTTP, Apollo Server adds the code of errors about variables. */
export function formatError(error: GraphQLError): GraphQLFormattedError {
  const isAboutVariables = !error.path && error.nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION;
  const code = isAboutVariables ? 'BAD_USER_INPUT' : error.extensions.code;
  const formatted = error.toJSON();
  return formatGraphError(
    code === undefined ? formatted : { ...formatted, extensions: { ...formatted.extensions, code } },
    error,
  );
}
