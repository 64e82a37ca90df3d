import { badRequest, type Refusal } from '../../versions/refusal.ts';

export interface ParsedText {
  /** Undefined for an empty body, or for YAML with only comments. */
  value: unknown;
  /**
   * Paths of keys that occur twice in one object: the author may mean one value while the parser takes the other. At
   * most `maxDuplicates`.
   */
  duplicates: string[];
}

/** Levels of objects and lists in a body. */
export const maxDepth = 100;
/** A body may have a million duplicate keys, and each path is as long as its keys. */
export const maxDuplicates = 10;

export function tooDeep(): Refusal {
  return badRequest(`the body is nested too deeply: more than ${maxDepth} levels`);
}
