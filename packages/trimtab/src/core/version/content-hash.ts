import { createHash } from 'node:crypto';

/** What makes two configs the same content. Metadata does not. */
export interface ConfigContent {
  /** Of a Secret; a ConfigMap has none. */
  type?: string | undefined;
  data?: Record<string, string> | undefined;
  binaryData?: Record<string, string> | undefined;
}

/**
 * sha256 over a canonical form: sorted keys, empty maps like missing ones, each part unmistakable from the
 * next. Always computed from the body: an annotation with a hash can be edited, content can't lie.
 */
export function contentHash(content: ConfigContent): string {
  const canonical = JSON.stringify([content.type ?? '', entries(content.data), entries(content.binaryData)]);
  return createHash('sha256').update(canonical).digest('hex');
}

function entries(map: Record<string, string> | undefined): [string, string][] {
  // By code unit and not by locale: every machine must sort alike.
  return Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
