import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRolloutSpec } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { type AdmissionRequest, type Mutation, type PatchOperation, unchanged } from './admission-review.ts';

interface RolloutObject extends KubeObject {
  spec?: Partial<Pick<ConfigRolloutSpec, 'version'>>;
}

/**
 * Records the user who sets `spec.version` in annotations of the ConfigRollout, because no object keeps that fact
 * otherwise. The user comes from the API server, and an admission policy rejects annotations with another user. Other
 * changes of a ConfigRollout keep the annotations. What belongs to the last request is removed with it.
 */
export function stampRollout({ object, oldObject, userInfo }: AdmissionRequest<RolloutObject>): Mutation {
  const version = object.spec?.version;
  if (version === oldObject?.spec?.version || !userInfo?.username) return unchanged;
  const its = object.metadata.annotations;
  if (version === undefined)
    return {
      patch: removals(its, annotations.requestedBy, annotations.requestedVersion, annotations.skipBake),
      warnings: [],
    };
  // A restored backup already names the requester; the admission policy decides who may restore one.
  if (!oldObject && its?.[annotations.requestedBy] !== undefined) return unchanged;
  const stamp = { [annotations.requestedBy]: userInfo.username, [annotations.requestedVersion]: version };
  if (its === undefined)
    return { patch: [{ op: 'add', path: '/metadata/annotations', value: stamp }], warnings: [] };
  const patch = Object.entries(stamp).map(([key, value]) => ({ op: 'add' as const, path: path(key), value }));
  // A client that does not know of request ids must not inherit the skipped bake of the last request.
  const isSameRequest =
    its[annotations.requestId] === oldObject?.metadata.annotations?.[annotations.requestId];
  return { patch: [...patch, ...(isSameRequest ? removals(its, annotations.skipBake) : [])], warnings: [] };
}

function removals(its: Record<string, string> = {}, ...keys: string[]): PatchOperation[] {
  return keys.filter((key) => Object.hasOwn(its, key)).map((key) => ({ op: 'remove', path: path(key) }));
}

function path(key: string): string {
  return jsonPointer('metadata', 'annotations', key);
}
