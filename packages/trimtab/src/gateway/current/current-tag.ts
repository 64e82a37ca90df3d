import { entityTag, type Format } from '../answer/entity-tag.ts';
import type { AppliedVersion } from '../streams/version-source.ts';

/** The entity tag of `…/current`, as a response has it and as a precondition expects it. */
export function currentTag({ key, tagKey }: Pick<AppliedVersion, 'key' | 'tagKey'>, format: Format): string {
  return entityTag(tagKey ?? key, format);
}
