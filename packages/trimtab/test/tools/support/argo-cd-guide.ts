import { manifestIn } from './manifest-in.ts';

const guide = 'argo-cd.md';

interface Application {
  kind: string;
  spec: { ignoreDifferences: { group: string; kind: string; jqPathExpressions: string[] }[] };
}

interface ConfigMap {
  kind: string;
  data: Record<string, string>;
}

/** The objects of a manifest that the guide shows. */
export function manifestInGuide<T>(file: string): T[] {
  return manifestIn(guide, file);
}

/** The fields that the guide tells an Application to ignore. */
export function ignoredInGuide(): unknown[] {
  const [application] = manifestInGuide<Application>('application.yaml');
  return application?.spec.ignoreDifferences ?? [];
}

/** The settings of Argo CD that the guide shows. */
export function settingsInGuide(): ConfigMap | undefined {
  return manifestInGuide<ConfigMap>('argocd-cm.yaml')[0];
}
