import { equal } from '../object.ts';
import { apiVersionOf, type Kind } from './kind.ts';

/** The kinds that the server serves. Custom resources are added and removed at run time. */
export class KindRegistry {
  readonly #byPath = new Map<string, Kind>();
  readonly #listeners = new Set<() => void>();

  constructor(kinds: readonly Kind[]) {
    for (const kind of kinds) this.#byPath.set(pathOf(kind), kind);
  }

  find(group: string, version: string, plural: string): Kind | undefined {
    return this.#byPath.get(pathOf({ group, version, plural }));
  }

  ofKind(apiVersion: string, kind: string): Kind | undefined {
    return this.all().find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
  }

  all(): Kind[] {
    return [...this.#byPath.values()];
  }

  /** Replaces a kind with the same group, version and plural. */
  add(kind: Kind): void {
    this.#byPath.set(pathOf(kind), kind);
    for (const listener of this.#listeners) listener();
  }

  remove(kind: Kind): void {
    if (this.#byPath.delete(pathOf(kind))) for (const listener of this.#listeners) listener();
  }

  /** Whether a kind from an earlier lookup is current: false when its definition has been deleted or changed. */
  isCurrent({ group, version, plural, custom }: Kind): boolean {
    const now = this.find(group, version, plural);
    return now !== undefined && equal(now.custom?.spec, custom?.spec);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

function pathOf({ group, version, plural }: { group: string; version: string; plural: string }): string {
  return `${group}/${version}/${plural}`;
}
