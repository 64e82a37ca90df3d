import { containerNames, imageNames, selectorText } from '../../representation/columns.ts';
import type { Workload } from './workload.ts';

/** Columns that `-o wide` shows for every kind with a pod template. */
export const containersColumn = {
  name: 'Containers',
  priority: 1,
  value: ({ spec }: Workload) => containerNames({ containers: spec.template.spec.containers ?? [] }),
};

export const imagesColumn = {
  name: 'Images',
  priority: 1,
  value: ({ spec }: Workload) => imageNames({ containers: spec.template.spec.containers ?? [] }),
};

export const selectorColumn = {
  name: 'Selector',
  priority: 1,
  value: ({ spec }: Workload) => selectorText(spec.selector ?? undefined),
};
