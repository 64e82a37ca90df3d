import { jsonText } from '../json.ts';
import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';

/**
 * Returns the stored text of an object. Kind and apiVersion come first, so a list, whose items omit them, can cut them
 * off without parsing the text.
 */
export function textOf(object: ApiObject): string {
  const { kind, apiVersion, metadata, ...rest } = object;
  return jsonText({ kind, apiVersion, metadata, ...rest });
}

/** Converts stored text to the served version; unchanged for built-in kinds. */
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
