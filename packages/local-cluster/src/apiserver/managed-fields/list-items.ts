import { ItemProblem, itemStep } from './path-step.ts';
import type { ListShape } from './shape.ts';

/** Groups the items of a list by their steps, in order. Duplicates share an entry; items without key are left out. */
export function itemsByStep(items: readonly unknown[], list: ListShape): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const item of items) {
    const step = stepOf(list, item);
    const others = step === undefined ? undefined : found.get(step);
    if (others !== undefined) others.push(item);
    else if (step !== undefined) found.set(step, [item]);
  }
  return found;
}

/** Returns undefined for an item without a key. Objects that are older than the schema's key can have such items. */
export function stepOf(list: ListShape, item: unknown): string | undefined {
  try {
    return itemStep(list, item);
  } catch (error) {
    if (error instanceof ItemProblem) return undefined;
    throw error;
  }
}
