import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { workloadResources } from '@trimtab/kube/resource.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { giveBack, updatedFields } from '../../core/managed-fields/give-back.ts';
import { managedFieldsOf } from '../../core/managed-fields/managed-fields.ts';
import { takeVersions } from '../../core/managed-fields/versions-field.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import type { JsonOperation } from '../guarded-patch.ts';

const maxAttempts = 5;

/**
 * Gives the fields of these references to whoever applies them, so that an unforced server-side apply does not conflict.
 * `object` is the workload as the API server returned it last, `before` are the owners from before Trimtab wrote. Returns
 * false when the API server refuses: the fields keep their owners, and `FieldOwners` tries again.
 */
export async function giveBackFields(
  context: Pick<ControllerContext, 'client' | 'log'>,
  workload: Pick<Workload, 'kind' | 'namespace' | 'name'>,
  object: KubeObject,
  { pointers, before }: { pointers: readonly string[]; before?: Workload['owners'] },
  signal: AbortSignal,
): Promise<boolean> {
  const operationsFor = (its: KubeObject) => {
    const entries = managedFieldsOf(its);
    return giveBack(entries, updatedFields(templateOf(its), pointers, entries, before));
  };
  return await changeOwners(context, workload, object, operationsFor, signal);
}

/**
 * Takes the annotation that assigns versions from managers that apply the workload: their next apply must not remove it.
 * Returns false when the API server refuses.
 */
export async function takeVersionsField(
  context: Pick<ControllerContext, 'client' | 'log'>,
  workload: Pick<Workload, 'kind' | 'namespace' | 'name'>,
  object: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  return await changeOwners(context, workload, object, (its) => takeVersions(managedFieldsOf(its)), signal);
}

/** Patches `managedFields` until there is nothing to change. Returns false when that did not succeed. */
async function changeOwners(
  { client, log }: Pick<ControllerContext, 'client' | 'log'>,
  { kind, namespace, name }: Pick<Workload, 'kind' | 'namespace' | 'name'>,
  object: KubeObject,
  operationsFor: (its: KubeObject) => JsonOperation[],
  signal: AbortSignal,
): Promise<boolean> {
  const [resource, where] = [workloadResources[kind], { namespace, name }];
  let seen = object;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const operations = operationsFor(seen);
    if (operations.length === 0) return true;
    try {
      // A malformed entry is ignored with a 200: only the response tells whether the patch had an effect.
      seen = await client.patch(resource, where, { type: 'json', operations }, { fieldManager, signal });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      const fresh = await getIfExists(client, resource, where, { signal });
      if (fresh === undefined) return true;
      seen = fresh;
    }
  }
  if (operationsFor(seen).length === 0) return true;
  log.warn(
    { object: { kind, namespace, name } },
    'the owners of fields could not be changed; trying again later',
  );
  return false;
}

function templateOf(object: KubeObject): PodTemplate {
  return (object as { spec?: { template?: PodTemplate } }).spec?.template ?? {};
}
