/** As the API server reads a flag of a query: everything except `false` and `0` is true, also `?watch` alone. */
export function queryFlag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && !['0', 'false'].includes(value.toLowerCase());
}
