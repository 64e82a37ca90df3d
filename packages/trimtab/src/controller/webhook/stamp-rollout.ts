import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRolloutSpec } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { type AdmissionRequest, type Mutation, type PatchOperation, unchanged } from './admission-review.ts';

interface RolloutObject extends KubeObject {
  spec?: Partial<Pick<ConfigRolloutSpec, 'version'>>;
}

/**
 * Writes down who names a version, on the ConfigRollout itself: afterwards no object tells. The API server says who
 * it is, and a guard sees to it that nobody else says so. Whatever else of a ConfigRollout changes, this stays.
 */
export function stampRollout({ object, oldObject, userInfo }: AdmissionRequest<RolloutObject>): Mutation {
  const version = object.spec?.version;
  if (version === oldObject?.spec?.version || !userInfo?.username) return unchanged;
  const its = object.metadata.annotations;
  if (version === undefined) return { patch: removals(its ?? {}), warnings: [] };
  // A backup that is restored says who it was; the guard knows who may do that.
  if (!oldObject && its?.[annotations.requestedBy] !== undefined) return unchanged;
  const stamp = { [annotations.requestedBy]: userInfo.username, [annotations.requestedVersion]: version };
  if (its === undefined)
    return { patch: [{ op: 'add', path: '/metadata/annotations', value: stamp }], warnings: [] };
  const patch = Object.entries(stamp).map(([key, value]) => ({ op: 'add' as const, path: path(key), value }));
  return { patch, warnings: [] };
}

function removals(its: Record<string, string>): PatchOperation[] {
  return [annotations.requestedBy, annotations.requestedVersion]
    .filter((key) => Object.hasOwn(its, key))
    .map((key) => ({ op: 'remove', path: path(key) }));
}

function path(key: string): string {
  return jsonPointer('metadata', 'annotations', key);
}
