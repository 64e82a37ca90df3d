import type { KubeClient, ListOptions } from './client.ts';
import type { Resource } from './resource.ts';
import { isGone } from './transport/errors.ts';
import type { KubeObject } from './wire.ts';

/** What client-go and kubectl ask for. */
const defaultLimit = 500;

export type Page<T extends KubeObject> =
  | {
      type: 'page';
      items: T[];
      /** The list's own version, the same on every page: where a watch goes on from. */
      resourceVersion: string;
    }
  /** The server forgot the version that the list was read at. Drop all pages so far; it starts anew. */
  | { type: 'restart' };

/**
 * All pages of a list, as one consistent cache at one resourceVersion. A list that takes longer than the
 * server remembers (5 minutes) starts again once, in one piece: that cannot expire.
 */
export async function* listAll<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  options: Omit<ListOptions, 'continue'> = {},
): AsyncGenerator<Page<T>, void> {
  let next: ListOptions = { limit: defaultLimit, ...options };
  for (;;) {
    try {
      const list = await client.list<T>(resource, next);
      yield { type: 'page', items: list.items, resourceVersion: list.metadata.resourceVersion ?? '' };
      if (!list.metadata.continue) return;
      next = { ...next, continue: list.metadata.continue };
    } catch (error) {
      if (!isGone(error) || next.continue === undefined) throw error;
      yield { type: 'restart' };
      const { limit: _limit, continue: _token, ...whole } = next;
      next = whole;
    }
  }
}
