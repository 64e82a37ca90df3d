import { shortened } from './quoted.ts';

const maxItems = 10;
const maxItemLength = 200;

/** The first items of a list that a client may have made long, each of limited length, for a message. */
export function abbreviate(items: readonly string[]): string[] {
  const shown = items.slice(0, maxItems).map((item) => shortened(item, maxItemLength));
  return items.length > maxItems ? [...shown, `and ${items.length - maxItems} more`] : shown;
}
