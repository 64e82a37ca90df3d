import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { ControllerContext } from '../context.ts';
import { guardedPatch, type JsonOperation } from '../guarded-patch.ts';

/** Clears a `spec.version` that an edit has superseded, unless the field has changed since it was read. */
export async function clearSpecVersion(
  { client }: ControllerContext,
  { metadata, spec }: ConfigRollout,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = '', name = '', annotations: its } = metadata;
  // What belongs to the request is removed too, so it cannot be attributed to the next request.
  const stamp = [annotations.requestedBy, annotations.requestedVersion, annotations.skipBake].flatMap((key) =>
    cleared(jsonPointer('metadata', 'annotations', key), its?.[key]),
  );
  const operations = [...cleared('/spec/version', spec.version), ...stamp];
  await guardedPatch(client, configRollouts, { namespace, name }, operations, { signal });
}

function cleared(path: string, value: string | undefined): JsonOperation[] {
  if (value === undefined) return [];
  return [
    { op: 'test', path, value },
    { op: 'remove', path },
  ];
}
