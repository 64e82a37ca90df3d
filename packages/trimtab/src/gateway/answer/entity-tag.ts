import { createHash } from 'node:crypto';
import { quoted } from '../../core/messages/quoted.ts';
import { badRequest } from '../../versions/refusal.ts';

/** A version name in a header is percent-encoded, so it never begins like this. */
const prefix = 'trimtab:';

export type Format = 'json' | 'yaml';

/**
 * The strong entity tag of an object, without its quotes. The key names what is shown, and holds no content: a tag of a
 * Secret reveals nothing, and all replicas answer with the same tag.
 */
export function entityTag(key: string, format: Format): string {
  return prefix + createHash('sha256').update(`${format} ${key}`).digest('base64url').slice(0, 27);
}

interface EntityTag {
  isWeak: boolean;
  /** Between the quotes. */
  value: string;
}

/** The value of If-Match or If-None-Match. */
export type TagList = '*' | readonly EntityTag[];

/** Returns undefined for a value that is not a list of entity tags in ASCII. */
export function readTagList(text: string): TagList | undefined {
  if (text.trim() === '*') return '*';
  if (/[^\t\x20-\x7e]/.test(text)) return undefined;
  const tags: EntityTag[] = [];
  const element = /[\t ]*(?:(W\/)?"([^"]*)"[\t ]*)?(?:,|$)/y;
  while (element.lastIndex < text.length) {
    const found = element.exec(text);
    if (found === null) return undefined;
    const [, weak, value] = found;
    if (value !== undefined) tags.push({ isWeak: weak !== undefined, value });
  }
  return tags.length === 0 ? undefined : tags;
}

/** If-None-Match of a read. `*` is left to the caller, who knows whether there is anything to show. */
export function isNotModified(list: TagList | undefined, tag: string): boolean {
  return list !== undefined && list !== '*' && list.some(({ value }) => value === tag);
}

/** What is current, as a precondition may name it. */
export interface CurrentState {
  version: string;
  /** One tag for each format. */
  tags: readonly string[];
}

/** If-Match of an activation: each element is a tag of a response, or the name of a version as a path would have it. */
export function isMatch(list: TagList, current: CurrentState | undefined): boolean {
  if (current === undefined) return false;
  if (list === '*') return true;
  return list.some(
    ({ isWeak, value }) =>
      // RFC 9110 compares strongly here, so a weak tag never matches.
      !isWeak &&
      (value.startsWith(prefix) ? current.tags.includes(value) : decoded(value) === current.version),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw badRequest(`If-Match: ${quoted(value)} is not valid percent-encoded UTF-8`);
  }
}
