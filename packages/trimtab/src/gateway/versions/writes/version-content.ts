import type { ConfigBody } from '../../../api/config-body.ts';
import { contentHash } from '../../../core/version/content-hash.ts';

/** Compares without the type, which all versions of a Secret share and their objects do not have. */
export function hasContentOf(version: ConfigBody, content: ConfigBody): boolean {
  return contentHash({ ...version, type: undefined }) === contentHash({ ...content, type: undefined });
}
