import { containerNames, imageNames, selectorText } from '../../representation/columns.ts';
import type { PodTemplate } from '../core/pod-types.ts';
import type { Workload } from './workload.ts';

interface Templated {
  spec: { template?: PodTemplate };
}

/** Columns that `-o wide` shows for every kind with a pod template. */
export const containersColumn = {
  name: 'Containers',
  priority: 1,
  value: ({ spec }: Templated) => containerNames({ containers: spec.template?.spec.containers ?? [] }),
};

export const imagesColumn = {
  name: 'Images',
  priority: 1,
  value: ({ spec }: Templated) => imageNames({ containers: spec.template?.spec.containers ?? [] }),
};

export const selectorColumn = {
  name: 'Selector',
  priority: 1,
  value: ({ spec }: Workload) => selectorText(spec.selector ?? undefined),
};
