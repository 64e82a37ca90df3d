import { ItemProblem, itemStep } from './path-step.ts';
import type { ListShape } from './shape.ts';

/** The items of a list by their steps, in order. Those that cannot be told apart stay together; without a key, out. */
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

/** Undefined for an item without a key: objects from before the schema asked for one may have such. */
export function stepOf(list: ListShape, item: unknown): string | undefined {
  try {
    return itemStep(list, item);
  } catch (error) {
    if (error instanceof ItemProblem) return undefined;
    throw error;
  }
}
