import type { KubeClient, ListOptions } from './client.ts';
import type { Resource } from './resource.ts';
import { isGone } from './transport/errors.ts';
import type { KubeObject } from './wire.ts';

/** The page size of client-go and kubectl. */
const defaultLimit = 500;

export type Page<T extends KubeObject> =
  | {
      type: 'page';
      items: T[];
      /** The resourceVersion of the list, the same on every page. A watch continues from it. */
      resourceVersion: string;
    }
  /** The server has compacted the resourceVersion of the list. Drop all pages received so far; the list restarts. */
  | { type: 'restart' };

/**
 * Reads all pages of a list at one resourceVersion. When a list takes longer than the server keeps that version
 * (5 minutes), it restarts once, without paging: a list in one response cannot expire.
 */
export async function* listAll<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
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
