/** Where a check is proven: a file of tests below `test` and a name in it, or a script of `package.json` that CI runs. */
export type CheckProof = readonly [file: string, name: string] | { script: string };

export type AcceptanceCheck = { promise: string; proofs: readonly CheckProof[] };

const door = (file: string, name: string): CheckProof => [`mcp/door/${file}.test.ts`, name];
const mcp = (file: string, name: string): CheckProof => [`mcp/${file}.test.ts`, name];
const oauth = (file: string, name: string): CheckProof => [`mcp/oauth/${file}.test.ts`, name];
const rest = (file: string, name: string): CheckProof => [`rest-compat/${file}.test.ts`, name];

/** What the MCP gateway promises, by number, and the tests that prove it. */
export const acceptanceChecks: Readonly<Record<number, AcceptanceCheck>> = {
  1: {
    promise: 'Clients of both lines of the SDKs of TypeScript and Python use servers of both eras.',
    proofs: [
      ['mcp/python-clients.long.test.ts', 'check 1: uses everything of a server: %s'],
      door('clients', "check 1: a client of the SDK's %s"),
      ['docs/mcp-python.long.test.ts', 'check 1: the SDK of Python'],
    ],
  },
  2: {
    promise: 'A session is served by any process, and outlives each that is killed.',
    proofs: [
      ['scripts/prove-mcp.test.ts', 'check 2: the judge of calls through gateways that are killed'],
      { script: 'prove:mcp' },
    ],
  },
  3: {
    promise: 'The conformance suite of 2025-11-25 scores as well through the gateway as at the server.',
    proofs: [
      ['scripts/conformance-mcp.test.ts', 'checks 3 and 4: the comparison of the conformance suite'],
      { script: 'conformance:mcp' },
    ],
  },
  4: {
    promise: 'The same holds for 2026-07-28.',
    proofs: [
      ['scripts/conformance-mcp.test.ts', 'checks 3 and 4: the comparison of the conformance suite'],
      { script: 'conformance:mcp' },
    ],
  },
  5: {
    promise: 'Secrets that were planted stand in no log, error, audit entry, request or metadata.',
    proofs: [
      mcp('planted-secrets', 'check 5: secrets that were planted'),
      mcp('governance', 'check 5: has no credential, neither ours nor that of a server that quotes it'),
    ],
  },
  6: {
    promise: 'A tool that is disabled is neither listed nor called, in both eras, and callers are told.',
    proofs: [
      door(
        'two-processes',
        'check 6: a tool that is switched off reaches the server from no process, and callers at both are told',
      ),
      door(
        'shapes',
        'check 6: what is switched off is neither listed nor called, and is back when it is switched on',
      ),
      door('streams', 'check 6: is told of changes of lists'),
    ],
  },
  7: {
    promise: 'Who may not call is refused on the next request, and streams that are open end.',
    proofs: [
      door('two-processes', 'check 7: inside sessions and streams that are open at both processes'),
      door('shapes', 'check 7: refuses neighbours, unknown servers and users who may not'),
      door('streams', 'check 7: end when the key is taken back'),
      mcp('snapshot', 'are forbidden once their integration is withdrawn, and gone once it is deleted'),
    ],
  },
  8: {
    promise: 'A limit of tools lets through as many calls as it says, at all processes together.',
    proofs: [
      ['mcp/python-clients.long.test.ts', 'check 8: keeps its session when a call is over a limit'],
      mcp('governance', 'check 8: lets through as many calls as the policy says, at all processes together'),
    ],
  },
  9: {
    promise: 'Addresses of metadata and private ones are refused when saved, tried, read and called.',
    proofs: [
      door('addresses', 'check 9: an address that nobody may be sent to'),
      oauth('connections', 'a token endpoint at an address of metadata'),
    ],
  },
  10: {
    promise: 'A client gets from nothing to a call by OAuth, and wrong tokens are refused.',
    proofs: [
      oauth('clients', 'goes from nothing to a call'),
      oauth('clients', 'takes a token for itself, and none for another or of nobody'),
      oauth('clients', 'lets a token that may read read, and says what it lacks for a call'),
    ],
  },
  11: {
    promise: 'Users who sign in at a server see what is theirs.',
    proofs: [oauth('connections', 'check 11: each user signs in')],
  },
  12: {
    promise: 'An access token that is over is refreshed once, however many calls need it.',
    proofs: [oauth('connections', 'check 12: a token that is over')],
  },
  13: {
    promise: 'A server that has lost its sessions gets another one.',
    proofs: [door('failures', 'check 13: a server that has lost its sessions')],
  },
  14: {
    promise: 'A server that dies in the middle of its answer is told to the caller at once.',
    proofs: [
      [
        'mcp/python-clients.long.test.ts',
        'check 14: hears at once that a server died in the middle of its answer, and goes on',
      ],
      door('failures', 'check 14: a server that dies in the middle of its answer'),
    ],
  },
  15: {
    promise: 'Elicitation reaches callers over all bridges of eras, also by another process.',
    proofs: [
      door(
        'rounds',
        'check 15: a server of an older era never sees that a caller of the modern one could answer: %s',
      ),
      door('failures', 'check 15: relays what a server asks its caller, in the session of both'),
      door('rounds', 'check 15: what a server of the modern era asks reaches a caller of the older one'),
      door('rounds', 'check 15: its answer may come to another process'),
      door('rounds', 'is not asked of callers who cannot answer, and servers are told so before'),
    ],
  },
  16: {
    promise: 'So do sampling and roots, and what is switched off is never offered.',
    proofs: [door('questions', 'check 16: a server that asks for %s')],
  },
  17: {
    promise: 'Guardrails refuse and mask arguments, and the headers that repeat them.',
    proofs: [
      mcp(
        'governance',
        'check 17: refuse arguments with a result that the model reads, and the server gets nothing',
      ),
      mcp('governance', 'check 17 and 22: mask arguments, and the headers that have to repeat them'),
    ],
  },
  18: {
    promise: 'Guardrails mask and refuse results, in texts and structured content alike.',
    proofs: [
      mcp('governance', 'check 18: mask results in all their texts alike, and refuse them'),
      door('resumption', 'check 18: goes on under the guardrails of its server'),
      door('tasks', 'check 18: have results that guardrails refuse, as those of any call'),
    ],
  },
  19: {
    promise: 'Each call and each refusal has one row of the log.',
    proofs: [mcp('governance', 'check 19: the log'), door('log-rows', 'check 19: the log')],
  },
  20: {
    promise: 'Content, schemas and unknown members arrive as the server wrote them.',
    proofs: [
      door(
        'failures',
        'check 20: gives results as the server wrote them, numbers and unknown members included',
      ),
      door('failures', 'check 20: passes definitions whole'),
    ],
  },
  21: {
    promise: 'Progress arrives in order before the result, and a cancelled call ends at the server.',
    proofs: [door('failures', 'check 21: progress and cancellation')],
  },
  22: {
    promise: 'Headers, versions, methods and batches are judged as each era wants.',
    proofs: [door('shapes', 'check 22: the shape of requests')],
  },
  23: {
    promise: 'Foreign origins are refused and, on loopback, foreign hosts.',
    proofs: [door('shapes', 'check 23: refuses foreign origins and, on loopback, foreign hosts')],
  },
  24: {
    promise: 'A session belongs to one caller and one server, and bears no change.',
    proofs: [
      door(
        'two-processes',
        'check 24: a session of one caller opens at no process for another, and at none when it is altered',
      ),
      door('shapes', 'check 24: belong to one caller and one server, and bear no change'),
    ],
  },
  25: {
    promise: 'All servers together have tools of one name side by side, and one that is down is named.',
    proofs: [mcp('aggregate', 'check 25: all servers together')],
  },
  26: {
    promise: 'A changed definition is audited and shown, and kept back where the integration says so.',
    proofs: [
      mcp('catalogue', 'notes that a description changed, and serves the new one'),
      mcp('catalogue', 'keeps a changed tool from callers under pin: block, until somebody enables it'),
    ],
  },
  27: {
    promise: 'What is new, changed and gone is followed, and a failure keeps what is known.',
    proofs: [
      mcp('catalogue', 'follows what is new, changed and gone, and keeps switches of what comes back'),
      mcp('catalogue', 'keeps what is known where the server cannot be read, and says why'),
      door('changes', 'check 27: a server that says that it has changed'),
      rest('mcp-server', 'are listed with counts, page by page'),
    ],
  },
  28: {
    promise: 'Subscriptions are acknowledged first, tagged, and ended with a result.',
    proofs: [
      door('two-processes', 'check 28: streams are ended with a result when their process stops'),
      door('streams', 'check 28: subscriptions'),
    ],
  },
  29: {
    promise: 'A stream that broke off goes on at any process, and nothing is doubled or lost.',
    proofs: [door('resumption', 'check 29: a stream that broke off')],
  },
  30: {
    promise: 'DELETE ends a session everywhere, at the server too.',
    proofs: [
      door(
        'two-processes',
        'check 30: a session that is ended is over at every process, its streams and the session behind it with it',
      ),
      door('shapes', 'check 30: end with DELETE'),
    ],
  },
  31: {
    promise: 'Each operation takes what it should, by uuid and slug, in REST and in the graph.',
    proofs: [
      rest('mcp-integration', 'makes, reads, lists, updates and deletes, by slug and by id'),
      rest('mcp-integration', 'refuses a slug that is taken, in an organisation alone'),
      rest('mcp-integration', 'takes only credentials with the scope'),
      rest('mcp-server', 'makes, reads, lists, updates and deletes, by slug and by id'),
      rest('mcp-server', 'takes only credentials with the scope'),
      rest('openapi/truth-of-mcp', 'every operation of the family is asked'),
      rest('openapi/truth-of-mcp', 'every example body is taken, with names that are there'),
    ],
  },
  32: {
    promise: 'Connections and user access are listed, revoked and overridden by who may.',
    proofs: [
      rest('mcp-server', 'says who may call it'),
      rest('mcp-server', 'shows and revokes connections: a key of a user those of its user'),
    ],
  },
  33: {
    promise: 'A test of a server says what is wrong in the words of the gateway.',
    proofs: [
      mcp('try-out', 'a test of an MCP integration'),
      mcp('try-out', 'says that nobody is there, that TLS fails, and that an address is not allowed'),
    ],
  },
  34: {
    promise: 'Consent is asked again for each client, and answers of issuers count once.',
    proofs: [
      oauth('authorization', 'is asked again for every client, whatever was allowed before'),
      oauth('connections', 'counts once, in the browser that was sent, and for the user whose call asked'),
    ],
  },
  35: {
    promise: 'Responses have the tools of a server on any provider, streamed too, and ask before a call.',
    proofs: [
      mcp('models', 'check 35: responses with a server of the gateway'),
      mcp('model-streams', 'check 35: responses that are streamed'),
      mcp('model-approvals', 'check 35: a call that needs approval'),
    ],
  },
  36: {
    promise: 'Chat completions have them too, streamed and not.',
    proofs: [
      mcp('models', 'check 36: chat completions with a server of the gateway'),
      mcp('model-streams', 'check 36: chat completions that are streamed'),
    ],
  },
  37: {
    promise: 'Runs of assistants have them as well, and what is taken away meanwhile is a tool error.',
    proofs: [
      ['runs/mcp-tools.test.ts', 'check 37: a run with a tool of an MCP server'],
      ['runs/mcp-tools.test.ts', 'is a tool error that the model sees, and the server is not reached'],
    ],
  },
  38: {
    promise: 'A server that does not answer is left alone, and back soon after it is.',
    proofs: [
      mcp('lines/breaker', 'check 38: a server that does not answer'),
      door(
        'bounds',
        'check 38: a server that fails is not asked after the fifth time, and callers hear when to come again',
      ),
    ],
  },
  39: {
    promise: 'Requests, results, silence and schemas have bounds.',
    proofs: [
      door('bounds', 'check 39: limits'),
      door('shapes', 'refuses what is no message, no JSON, or too large'),
      door('failures', 'says nothing for too long is given up, and told so in its era'),
    ],
  },
  40: {
    promise: 'The costs of the way through the gateway are measured beside the direct call.',
    proofs: [{ script: 'bench:mcp' }],
  },
};
