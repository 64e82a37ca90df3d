import { RevisionCompacted } from '../../store/stored.ts';
import { badRequest, expired } from '../errors/status-error.ts';
import type { Kind } from '../kinds/kind.ts';
import { type ListMeta, renderPieces } from '../representation/render.ts';
import { type ListOptions, listOptions } from '../request/options.ts';
import { prefixOf } from '../storage/keys.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';
import { parseObject, shownText } from '../storage/object-text.ts';
import { decodeToken, encodeToken } from './continue-token.ts';
import { checkNotTooNew, parseVersion } from './resource-version.ts';
import { type Selection, selectionOf } from './selection.ts';
import type { Answer, VerbRequest } from './verb-request.ts';

export function list({ kind, info, query, services, render }: VerbRequest): Answer {
  const options = listOptions(query);
  const selection = selectionOf(kind, options);
  const { texts, metadata } = readList(services.storage, kind, info.namespace, options, selection);
  return { code: 200, body: renderPieces(kind, texts, metadata, render) };
}

interface Page {
  texts: string[];
  metadata: ListMeta;
}

export function readList(
  storage: ObjectStorage,
  kind: Kind,
  namespace: string | undefined,
  options: ListOptions,
  selection: Selection,
): Page {
  const prefix = prefixOf(kind, namespace);
  const { at, after } = startOf(storage, options, prefix);
  const { limit } = options;
  const texts: string[] = [];
  let revision = 0;
  let last = after;
  let more = true;
  // A selector can exclude most objects, so reading continues until the page is full.
  while (more && (limit === 0 || texts.length < limit)) {
    const wanted = selection.isEverything ? limit : Math.max(limit, selectedBatch);
    const page = read(storage, prefix, last, at, limit === 0 ? undefined : wanted);
    ({ revision, more } = page);
    for (const [index, { key, value }] of page.items.entries()) {
      last = key;
      if (selection.isEverything || selection.matches(parseObject(value))) texts.push(shownText(kind, value));
      if (limit > 0 && texts.length === limit) {
        more ||= index < page.items.length - 1;
        break;
      }
    }
  }
  const metadata: ListMeta = { resourceVersion: String(revision) };
  if (more && last !== undefined) {
    metadata.continue = encodeToken({ revision, after: last.slice(prefix.length) });
    if (selection.isEverything)
      metadata.remainingItemCount = storage.store.count(prefix, { after: last, at: revision });
  }
  return { texts, metadata };
}

/** Number of objects that are read at once when a selector filters them. */
const selectedBatch = 500;

function startOf(
  storage: ObjectStorage,
  options: ListOptions,
  prefix: string,
): { at: number | undefined; after: string | undefined } {
  const version = parseVersion(options.resourceVersion, 'list');
  if (options.continue !== '') {
    if (version) throw badRequest('specifying resource version is not allowed when using continue');
    const token = decodeToken(options.continue);
    return { at: token.revision < 0 ? undefined : token.revision, after: `${prefix}${token.after}` };
  }
  checkNotTooNew(version, storage.store.revision);
  const isExact =
    options.resourceVersionMatch === 'Exact' || (options.limit > 0 && options.resourceVersionMatch === '');
  // Without an exact match any newer revision is valid, and the current one is the newest.
  return { at: isExact && version ? version : undefined, after: undefined };
}

function read(
  storage: ObjectStorage,
  prefix: string,
  after: string | undefined,
  at: number | undefined,
  limit: number | undefined,
) {
  try {
    return storage.store.list(prefix, {
      ...(after !== undefined && { after }),
      ...(at !== undefined && { at }),
      ...(limit !== undefined && { limit }),
    });
  } catch (error) {
    if (!(error instanceof RevisionCompacted)) throw error;
    if (after === undefined) throw expired('The resourceVersion for the provided list is too old.');
    throw expired(inconsistent, {
      continue: encodeToken({ revision: -1, after: after.slice(prefix.length) }),
    });
  }
}

const inconsistent =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
