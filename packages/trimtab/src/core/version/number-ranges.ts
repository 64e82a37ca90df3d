/** A set of whole numbers as sorted ranges that neither overlap nor touch, because most members are consecutive. */
export type NumberRanges = readonly (readonly [first: number, last: number])[];

export function hasNumber(ranges: NumberRanges, number: number): boolean {
  return ranges.some(([first, last]) => first <= number && number <= last);
}

export function withNumber(ranges: NumberRanges, number: number): NumberRanges {
  if (hasNumber(ranges, number)) return ranges;
  const touches = ([first, last]: NumberRanges[number]) => first - 1 <= number && number <= last + 1;
  const joined = ranges.filter(touches);
  const first = Math.min(number, ...joined.map(([start]) => start));
  const last = Math.max(number, ...joined.map(([, end]) => end));
  const others = ranges.filter((range) => !touches(range));
  return [...others, [first, last] as const].sort(([a], [b]) => a - b);
}

/** `0-57 60`: two ranges, the second with one member. */
export function formatRanges(ranges: NumberRanges): string {
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(' ');
}

/** Returns undefined when the text does not describe ranges. */
export function parseRanges(text: string): NumberRanges | undefined {
  const ranges: NumberRanges[number][] = [];
  let end = -2;
  for (const part of text.split(' ').filter((each) => each !== '')) {
    const match = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(part);
    const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
    if (match === null || last < first || first <= end + 1) return undefined;
    ranges.push([first, last]);
    end = last;
  }
  return ranges;
}
