import { forbidden, notFound } from '../errors/status-error.ts';
import { namespace as namespaces } from '../kinds/core/namespace.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';
import { type AdmissionPlugin, nameInRefusals } from './admission.ts';

const immortal = ['default', 'kube-system', 'kube-public'];

/** Refuses creation in a namespace that is missing or terminating, and deletion of three built-in namespaces. */
export function namespaceLifecycle(storage: ObjectStorage): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    mutate({ operation, kind, namespace, name, object }) {
      if (operation === 'DELETE' && kind === namespaces && immortal.includes(name))
        throw forbidden(kind, name, 'this namespace may not be deleted');
      if (operation !== 'CREATE' || namespace === undefined) return;
      const found = storage.get(namespaces, undefined, namespace);
      if (found === undefined) throw notFound(namespaces, namespace);
      if (found.object.metadata.deletionTimestamp === undefined) return;
      throw forbidden(
        kind,
        nameInRefusals({ name, object }),
        `unable to create new content in namespace ${namespace} because it is being terminated`,
        [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${namespace} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      );
    },
  };
}
