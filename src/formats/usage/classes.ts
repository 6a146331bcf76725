/**
 * Quantities by unit of the price list. No token is in two classes, so that adding
 * quantity times price over the classes bills each token once.
 */
export type TokenClasses = Record<string, number>;

/** Counts of the input; all but `total` are parts of it. What is cached may be audio or image as well. */
export type InputCounts = {
  total: number;
  cached?: number | null;
  cachedAudio?: number | null;
  cachedImage?: number | null;
  /** Written to the provider's cache, `writtenHour` of it for an hour. */
  written?: number | null;
  writtenHour?: number | null;
  audio?: number | null;
  image?: number | null;
  video?: number | null;
};

/** Counts of the output; all but `total` are parts of it, and none of another. */
export type OutputCounts = {
  total: number;
  reasoning?: number | null;
  audio?: number | null;
  image?: number | null;
  video?: number | null;
  acceptedPrediction?: number | null;
  rejectedPrediction?: number | null;
};

export function inputClasses(counts: InputCounts): TokenClasses {
  const { total } = counts;
  const cached = counts.cached ?? 0;
  const written = counts.written ?? 0;
  const writtenHour = Math.min(counts.writtenHour ?? 0, written);
  const audio = counts.audio ?? 0;
  const image = counts.image ?? 0;
  const video = counts.video ?? 0;
  // Providers that do not say what is cached cache text first: only what does not fit beside the rest is audio.
  const shared = Math.max(0, cached + written + audio + image + video - total);
  const cachedAudio = Math.min(counts.cachedAudio ?? shared, cached, audio);
  const cachedImage = Math.min(counts.cachedImage ?? 0, cached - cachedAudio, image);
  return divide(total, 'request_token', {
    cache_read_audio_input_token: cachedAudio,
    cache_read_image_input_token: cachedImage,
    cache_read_input_token: cached - cachedAudio - cachedImage,
    cache_write_1h_input_token: writtenHour,
    cache_write_input_token: written - writtenHour,
    request_audio_token: audio - cachedAudio,
    request_image_token: image - cachedImage,
    request_video_token: video,
  });
}

export const outputClasses = (counts: OutputCounts): TokenClasses =>
  divide(counts.total, 'response_token', {
    reasoning_token: counts.reasoning ?? 0,
    response_audio_token: counts.audio ?? 0,
    response_image_token: counts.image ?? 0,
    response_video_token: counts.video ?? 0,
    prediction_accepted_token: counts.acceptedPrediction ?? 0,
    prediction_rejected_token: counts.rejectedPrediction ?? 0,
  });

/** Gives each part what it asks for while there is some of the total left, and the rest to `rest`: the sum is the total. */
function divide(total: number, rest: string, parts: TokenClasses): TokenClasses {
  const classes: TokenClasses = {};
  let left = total;
  // Pairs of names and amounts would be fourteen objects more for each answer.
  for (const unit in parts) {
    const taken = Math.min(parts[unit] ?? 0, left);
    if (taken > 0) classes[unit] = taken;
    left -= taken;
  }
  if (left > 0) classes[rest] = left;
  return classes;
}
