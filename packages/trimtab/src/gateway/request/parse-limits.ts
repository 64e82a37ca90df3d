import { Refusal } from '../../versions/refusal.ts';

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

/** A body that may be valid, and that the gateway does not parse because it would take too long. */
export class BeyondLimits extends Refusal {
  constructor(message: string) {
    super(400, 'BadRequest', message);
  }
}

export function tooDeep(): BeyondLimits {
  return new BeyondLimits(`the body is nested too deeply: more than ${maxDepth} levels`);
}
