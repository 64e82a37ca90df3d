import type { ObjectStorage } from '../storage/object-storage.ts';
import type { AdmissionPlugin } from './admission.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';

/** What a Kubernetes API server does to writes by itself, in its order. */
export function builtInPlugins(storage: ObjectStorage): AdmissionPlugin[] {
  return [namespaceLifecycle(storage)];
}
