import { APICallError } from '@ai-sdk/provider';

/** A provider's answer that is no success, as the library would throw it. */
export const refusalOf = async (answer: Response, url: string): Promise<APICallError> =>
  new APICallError({
    message: `${answer.status} ${answer.statusText}`,
    url,
    requestBodyValues: undefined,
    statusCode: answer.status,
    responseHeaders: Object.fromEntries(answer.headers),
    responseBody: await answer.text(),
  });
