/** A number from 0 up to but not including 1. */
export type Random = () => number;

/**
 * The first of these places whose running weight exceeds a draw from [0, sum of weights), -1 when that sum is 0.
 */
export function draw(weights: readonly number[], places: readonly number[], random: Random): number {
  const weightOf = (place: number) => weights[place] ?? 0;
  let rest = random() * places.reduce((sum, place) => sum + weightOf(place), 0);
  return (
    places.find((place) => {
      rest -= weightOf(place);
      return rest < 0;
    }) ?? -1
  );
}
