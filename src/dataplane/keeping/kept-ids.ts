/** What ids of responses and conversations begin with that the gateway keeps: those of providers look otherwise. */
export const KEPT_RESPONSE = 'resp_kept';
export const KEPT_CONVERSATION = 'conv_kept';

const form = /^(?:resp|conv)_kept_[0-9A-Za-z]{24}$/;

/** Whether an id is one that the gateway gave to a response or a conversation. */
export const isKeptId = (id: unknown): id is string => typeof id === 'string' && form.test(id);
