import type { Node } from '../../objects/node.ts';

/** Counts by topology domain. All nodes with the same value of a label form one domain. */
export class Topologies {
  readonly #counts = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add(node: Node, key: string, count: number): void {
    const place = placeOf(node, key);
    if (place !== undefined) this.#counts.set(place, (this.#counts.get(place) ?? 0) + count);
  }

  /** Returns undefined when the node does not have the label. */
  at(node: Node, key: string): number | undefined {
    const place = placeOf(node, key);
    return place === undefined ? undefined : (this.#counts.get(place) ?? 0);
  }

  /** The counts of all domains that the node belongs to. */
  allAt(node: Node): number[] {
    return Object.keys(node.metadata.labels ?? {}).map((key) => this.at(node, key) ?? 0);
  }
}

function placeOf({ metadata: { labels = {} } }: Node, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? JSON.stringify([key, labels[key]]) : undefined;
}
