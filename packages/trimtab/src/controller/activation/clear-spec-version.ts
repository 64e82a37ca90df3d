import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { ControllerContext } from '../context.ts';
import { guardedPatch, type JsonOperation } from '../guarded-patch.ts';

/** Takes back a wish that an edit has taken over from, if it is still the same. */
export async function clearSpecVersion(
  { client }: ControllerContext,
  { metadata, spec }: ConfigRollout,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = '', name = '', annotations: its } = metadata;
  // Who asked for it goes along: the name must not come to stand for the next wish.
  const stamp = [annotations.requestedBy, annotations.requestedVersion].flatMap((key) =>
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
