/** Alternating names and values, as in `rawHeaders` of Node. */
export type RawHeaders = readonly string[];

/** Headers that concern one connection, not the request, and are not forwarded. */
const hopByHop = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** Removes hop-by-hop headers (RFC 9110 §7.6.1): the known ones, `Proxy-*`, and those that `Connection` names. */
export function withoutHopByHop(raw: RawHeaders): [name: string, value: string][] {
  const pairs = pairsOf(raw);
  const named = new Set(pairs.flatMap(([name, value]) => (isNamed(name, 'connection') ? tokens(value) : [])));
  return pairs.filter(([name]) => {
    const lower = name.toLowerCase();
    return !hopByHop.has(lower) && !named.has(lower) && !lower.startsWith('proxy-');
  });
}

export function isNamed(name: string, lower: string): boolean {
  return name.length === lower.length && name.toLowerCase() === lower;
}

/** The elements of a comma-separated header, in lower case. */
export function tokens(value: string): string[] {
  return value.split(',').flatMap((token) => token.trim().toLowerCase() || []);
}

export function pairsOf(raw: RawHeaders): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2)
    pairs.push([raw[index] ?? '', raw[index + 1] ?? '']);
  return pairs;
}
