/** Asks the graph of a running service; throws what it refuses. */
export type Ask = <Answer>(document: string, variables?: object) => Promise<Answer>;

type GraphAnswer<Answer> = { data?: Answer; errors?: { message: string }[] };

/** A caller of `<url>/graphql` with a key, or with none. */
export const askAt =
  (url: string, key: string | null): Ask =>
  async <Answer>(query: string, variables: object = {}) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== null && { 'x-gateway-api-key': key }) },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as GraphAnswer<Answer>;
    if (errors) throw new Error(`${errors.map(({ message }) => message).join(' ')}\n${query}`);
    return data as Answer;
  };
