import { jsonText } from '../json.ts';
import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';

/**
 * An object as the store keeps it. Kind and apiVersion come first, so that a list, whose items do not have them, can
 * cut them off without reading the rest.
 */
export function textOf(object: ApiObject): string {
  const { kind, apiVersion, metadata, ...rest } = object;
  return jsonText({ kind, apiVersion, metadata, ...rest });
}

/** A stored text as its kind shows it: of built-in kinds, as it is. */
export function shownText({ custom }: Kind, text: string): string {
  return custom === undefined ? text : custom.shown(text);
}

export function itemText(kind: Kind, text: string): string {
  if (kind.typedItems) return text;
  const head = `{"kind":${JSON.stringify(kind.kind)},"apiVersion":${JSON.stringify(apiVersionOf(kind))},`;
  return text.startsWith(head) ? `{${text.slice(head.length)}` : text;
}

export function parseObject(text: string): ApiObject {
  return JSON.parse(text) as ApiObject;
}
