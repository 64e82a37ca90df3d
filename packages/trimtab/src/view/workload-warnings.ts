import type { Container, PodTemplate, Volume } from '../api/pod-template.ts';
import { type ConfigKey, configKey } from '../core/references/config-key.ts';
import type { Reference } from '../core/references/references.ts';
import type { PlannedObject } from './activation-plan.ts';

export interface WarningInput {
  workload: PlannedObject;
  how: 'recycle' | 'reload';
  /** Its references to the config. */
  references: readonly Reference[];
  pods: number;
  /** Its line in the rollout's status says that somebody chose its versions. */
  pinned: boolean;
}

type Check = (judged: WarningInput) => string | undefined;

/** What a person should know before they activate a version, in the order in which it matters. */
const checks: readonly Check[] = [
  ({ pinned }) => (pinned ? 'is pinned: somebody chose its versions, and this moves it' : undefined),
  ({ workload: { spec } }) => (spec?.paused ? 'is paused: nothing happens until it is resumed' : undefined),
  ({ workload: { spec }, how }) =>
    how === 'recycle' && spec?.updateStrategy?.type === 'OnDelete'
      ? 'has the strategy OnDelete: each pod takes the version when somebody deletes it'
      : undefined,
  ({ workload: { spec }, how }) =>
    how === 'recycle' && spec?.strategy?.type === 'Recreate'
      ? 'has the strategy Recreate: all its pods end before the first new one starts'
      : undefined,
  ({ how, pods }) =>
    how === 'recycle' && pods === 1
      ? 'has a single replica: nothing may serve while it is replaced'
      : undefined,
  ({ workload }) => {
    const without = (templateOf(workload).spec?.containers ?? []).filter(
      ({ readinessProbe }) => !readinessProbe,
    );
    return without.length === 0
      ? undefined
      : `has no readiness probe in ${listed(
          'container',
          without.map(({ name }) => name),
        )}: a bad version is noticed only when it crashes`;
  },
  ({ how, references }) =>
    how === 'reload' && references.some(({ via }) => via === 'env')
      ? 'reads it into environment variables, which no reload changes: they stay until the pod is replaced'
      : undefined,
  ({ workload, how, references }) => {
    const containers = how === 'reload' ? mountingBySubPath(templateOf(workload), references) : [];
    return containers.length === 0
      ? undefined
      : `mounts it by subPath in ${listed('container', containers)}, which no reload changes`;
  },
];

export function workloadWarnings(judged: WarningInput): string[] {
  return checks.flatMap((check) => check(judged) ?? []);
}

export function templateOf({ spec }: PlannedObject): PodTemplate {
  return spec?.template ?? {};
}

function mountingBySubPath({ spec = {} }: PodTemplate, references: readonly Reference[]): string[] {
  const names = new Set(references.map(({ kind, name }) => configKey(kind, name)));
  const volumes = new Set((spec.volumes ?? []).filter((each) => holds(each, names)).map(({ name }) => name));
  const isMounted = ({ volumeMounts = [] }: Container) =>
    volumeMounts.some(({ name, subPath }) => volumes.has(name) && subPath !== undefined && subPath !== '');
  return [...(spec.initContainers ?? []), ...(spec.containers ?? [])]
    .filter(isMounted)
    .map(({ name }) => name);
}

function holds({ configMap, secret, projected }: Volume, names: ReadonlySet<ConfigKey>): boolean {
  const sources = [
    { configMap, secret: secret && { name: secret.secretName } },
    ...(projected?.sources ?? []),
  ];
  return sources.some(
    (source) =>
      names.has(configKey('ConfigMap', source.configMap?.name ?? '')) ||
      names.has(configKey('Secret', source.secret?.name ?? '')),
  );
}

function listed(what: string, names: readonly string[]): string {
  return `${what}${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
}
