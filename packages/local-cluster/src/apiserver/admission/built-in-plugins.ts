import type { ObjectStorage } from '../storage/object-storage.ts';
import type { AdmissionPlugin } from './admission.ts';
import { limitRanges } from './limits/limit-ranges.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { podDefaults, serviceAccounts } from './pod-defaults.ts';
import { priorities } from './priorities.ts';

/** Admission plugins that run in a Kubernetes API server without configuration, in its order. */
export function builtInPlugins(storage: ObjectStorage): AdmissionPlugin[] {
  return [
    namespaceLifecycle(storage),
    limitRanges(storage),
    serviceAccounts(storage),
    priorities(storage),
    podDefaults,
  ];
}
