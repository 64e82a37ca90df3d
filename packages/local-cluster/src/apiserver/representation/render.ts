import { stringify as yamlText } from 'yaml';
import { jsonText } from '../json.ts';
import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { Representation } from '../request/negotiation.ts';
import { itemText, parseObject } from '../storage/object-text.ts';
import { partialMetadata } from './partial-metadata.ts';
import { type IncludeObject, table } from './table.ts';

export interface ListMeta {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

export interface RenderOptions {
  as: Representation;
  now: number;
  includeObject: IncludeObject;
}

/** Renders an object, given as its stored text, in the requested representation. */
export function renderObject(kind: Kind, text: string, options: RenderOptions): string {
  if (options.as.shape === 'object') return renderText(text, options.as);
  const object = parseObject(text);
  if (options.as.shape === 'metadata') return renderJson(partialMetadata(object, options.as), options.as);
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  return renderJson(table(kind, [object], metadata, { ...options, withColumns: true }), options.as);
}

/** Renders a list whose items are given as their stored texts. */
export function renderList(
  kind: Kind,
  texts: readonly string[],
  metadata: ListMeta,
  options: RenderOptions,
): string {
  return renderPieces(kind, texts, metadata, options).join('');
}

/** Approximate length of one write to a connection. */
const pieceLength = 64 * 1024;

/**
 * Renders a list in pieces. In plain JSON the items are not parsed, and the list is never in memory as one text.
 */
export function renderPieces(
  kind: Kind,
  texts: readonly string[],
  metadata: ListMeta,
  options: RenderOptions,
): string[] {
  if (options.as.shape === 'object') {
    const pieces = listPieces(kind, texts, metadata);
    return isPlain(options.as) ? pieces : [renderText(pieces.join(''), options.as)];
  }
  const objects = texts.map(parseObject);
  if (options.as.shape === 'metadata')
    return [
      renderJson(
        {
          kind: 'PartialObjectMetadataList',
          apiVersion: `meta.k8s.io/${options.as.metaVersion}`,
          metadata,
          items: objects.map((object) => partialMetadata(object, options.as)),
        },
        options.as,
      ),
    ];
  return [renderJson(table(kind, objects, metadata, { ...options, withColumns: true }), options.as)];
}

function listPieces(kind: Kind, texts: readonly string[], metadata: ListMeta): string[] {
  const head = JSON.stringify({ kind: kind.listKind, apiVersion: apiVersionOf(kind), metadata });
  const pieces: string[] = [];
  let begun: string[] = [`${head.slice(0, -1)},"items":[`];
  let length = 0;
  for (const [index, text] of texts.entries()) {
    begun.push(index === 0 ? '' : ',', itemText(kind, text));
    length += text.length;
    if (length < pieceLength) continue;
    pieces.push(begun.join(''));
    [begun, length] = [[], 0];
  }
  return [...pieces, `${begun.join('')}]}\n`];
}

function isPlain({ format, pretty }: Representation): boolean {
  return format === 'json' && !pretty;
}

function renderText(json: string, as: Representation): string {
  return isPlain(as) ? `${json}\n` : renderJson(JSON.parse(json), as);
}

export function renderJson(
  value: unknown,
  { format, pretty }: Pick<Representation, 'format' | 'pretty'>,
): string {
  if (format === 'yaml') return yamlText(value, { sortMapEntries: true, lineWidth: 0 });
  return pretty ? jsonText(value, '  ') : `${jsonText(value)}\n`;
}
