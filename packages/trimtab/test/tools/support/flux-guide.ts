import type { Kustomization } from './flux.ts';
import { manifestIn } from './manifest-in.ts';

/** The health check of ConfigRollouts that the guide shows. */
export function healthCheckInGuide(): unknown[] {
  const [kustomization] = manifestIn<Kustomization>('flux.md', 'kustomization.yaml');
  return kustomization?.spec.healthCheckExprs ?? [];
}
