import type { ConfigBody } from '../../api/config-body.ts';
import { annotations } from '../../api/names.ts';

/**
 * Returns the merge patch that gives a config the content of a version. Keys that the version lacks are removed; labels,
 * other annotations and the type stay. The resourceVersion makes the API server refuse the patch after any other write.
 */
export function followPatch(live: ConfigBody, body: ConfigBody, version: string): object {
  const { uid, resourceVersion } = live.metadata;
  return {
    metadata: { uid, resourceVersion, annotations: { [annotations.version]: version } },
    ...mapPatch('data', live, body),
    ...mapPatch('binaryData', live, body),
  };
}

function mapPatch(field: 'data' | 'binaryData', live: ConfigBody, body: ConfigBody): object {
  const [before = {}, after = {}] = [live[field], body[field]];
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const changed = Object.entries(after).filter(([key, value]) => before[key] !== value);
  if (gone.length + changed.length === 0) return {};
  return { [field]: Object.fromEntries([...gone.map((key) => [key, null]), ...changed]) };
}
