/**
 * Kubernetes replaces `$(NAME)` and `$$` in the values of environment variables. These functions return a value that the
 * container gets as it is given here.
 */
export function literal(value: string): string {
  return value.replaceAll('$', '$$$$');
}

/** JSON without a dollar sign, so it is the same text before and after the replacement. */
export function expandedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('$', '\\u0024');
}
