/** One request: times in milliseconds since the epoch, status 0 when the connection failed. */
export type Call = {
  url: string;
  secret: 'old' | 'new';
  sentAt: number;
  answeredAt: number;
  status: number;
};

/** The statuses that a call may have had, when the old secret ends at `end`. */
function allowed({ secret, sentAt, answeredAt }: Call, end: number): number[] {
  if (secret === 'new' || answeredAt < end) return [200];
  return sentAt >= end ? [401] : [200, 401];
}

/** The calls that were answered as they should not have been. */
export const wrongOnes = (calls: Call[], end: number): Call[] =>
  calls.filter((call) => !allowed(call, end).includes(call.status));

export type Count = { url: string; accepted: number; refused: number; withNew: number };

/** What each process answered to the old secret before its end and after it, and to the new one. */
export const countsOf = (calls: Call[], end: number): Count[] =>
  [...new Set(calls.map(({ url }) => url))].sort().map((url) => {
    const here = calls.filter((call) => call.url === url);
    const old = here.filter(({ secret }) => secret === 'old');
    return {
      url,
      accepted: old.filter(({ answeredAt, status }) => answeredAt < end && status === 200).length,
      refused: old.filter(({ sentAt, status }) => sentAt >= end && status === 401).length,
      withNew: here.filter(({ secret, status }) => secret === 'new' && status === 200).length,
    };
  });
