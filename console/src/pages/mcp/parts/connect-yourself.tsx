import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMay, useViewer } from '../../../shell/session/viewer.ts';
import { Banner, Button } from '../../../ui/index.ts';
import { McpServerShownDocument, type McpServerShownQuery } from '../documents.ts';
import { greet, type ServerAnswer, type ServerPlace } from './call-tool.ts';
import type { Server } from './server.tsx';
import { SignInThere } from './sign-in-there.tsx';

type Connection = NonNullable<McpServerShownQuery['mcpServerConnections']>['data'][number];
type ConnectYourselfProps = { server: Server; connections: readonly Connection[] };

/** The way to the sign-in of a server at which each user signs in: nothing of it can be read, or called, before. */
export function ConnectYourself({ server, connections }: ConnectYourselfProps) {
  const queries = useQueryClient();
  const { id: viewer } = useViewer();
  const { refusal } = useMay('mcp.invoke');
  const greeting = useMutation<ServerAnswer, Error, ServerPlace>({
    mutationFn: greet,
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey: [McpServerShownDocument.name] }),
  });
  const isConnected = connections.some(({ userId, connected }) => connected && userId === viewer);
  if (server.authType !== 'oauth_auto' || isConnected) return null;
  const { data, error } = greeting;
  const problem = error?.message ?? (data?.isFailed && !data.signInAt ? data.text : null);
  return (
    <div className="flex flex-col items-start gap-3 px-4 pb-3 sm:px-6">
      <Button
        refusal={refusal}
        isBusy={greeting.isPending}
        onClick={() => greeting.mutate({ server: server.slug, workspace: server.workspaceId })}
      >
        Connect yourself
      </Button>
      {data?.signInAt && <SignInThere address={data.signInAt} />}
      {problem && <Banner tone="bad">{problem}</Banner>}
    </div>
  );
}
