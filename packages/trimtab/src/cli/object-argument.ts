import { didYouMean } from '@trimtab/kube/flags/did-you-mean.ts';
import type { ConfigKind } from '../core/references/references.ts';
import type { WorkloadKind } from '../core/workload/observed.ts';
import { usageError } from './failure.ts';

/** kubectl's names for the kinds: singular, plural and short, with or without the group. */
const configKinds: Readonly<Record<string, ConfigKind>> = {
  configmap: 'ConfigMap',
  configmaps: 'ConfigMap',
  cm: 'ConfigMap',
  secret: 'Secret',
  secrets: 'Secret',
};

const workloadKinds: Readonly<Record<string, WorkloadKind>> = {
  deployment: 'Deployment',
  deployments: 'Deployment',
  deploy: 'Deployment',
  'deployment.apps': 'Deployment',
  'deployments.apps': 'Deployment',
  statefulset: 'StatefulSet',
  statefulsets: 'StatefulSet',
  sts: 'StatefulSet',
  'statefulset.apps': 'StatefulSet',
  'statefulsets.apps': 'StatefulSet',
  daemonset: 'DaemonSet',
  daemonsets: 'DaemonSet',
  ds: 'DaemonSet',
  'daemonset.apps': 'DaemonSet',
  'daemonsets.apps': 'DaemonSet',
};

export interface ConfigArgument {
  is: 'config';
  kind: ConfigKind;
  name: string;
}

export interface WorkloadArgument {
  is: 'workload';
  kind: WorkloadKind;
  name: string;
}

/** The argument of the commands for one config. */
export const configPositional = {
  required: true,
  help: 'Config as TYPE/NAME; a bare name is a ConfigMap.',
  completes: 'managed-config',
} as const;

/** Parses `configmap/foo`, `cm/foo` or `secret/bar`. A bare name is a ConfigMap. */
export function configArgument(text: string): ConfigArgument {
  const found = objectArgument(text);
  if (found.is === 'config') return found;
  throw usageError(`'${text}' is a workload, but a config is required, such as configmap/foo or secret/bar`);
}

/** Parses `deployment/bar`, `sts/bar` or `ds/bar`. */
export function workloadArgument(text: string): WorkloadArgument {
  if (!text.includes('/'))
    throw usageError(`'${text}' has no type: write the workload as TYPE/NAME, such as deployment/${text}`);
  const found = objectArgument(text);
  if (found.is === 'workload') return found;
  throw usageError(`'${text}' is a config, but a workload is required, such as deployment/bar`);
}

/** Parses a config or a workload. A bare name is a ConfigMap. */
export function objectArgument(text: string): ConfigArgument | WorkloadArgument {
  const slash = text.indexOf('/');
  const [type, name] = slash === -1 ? ['configmap', text] : [text.slice(0, slash), text.slice(slash + 1)];
  if (!isObjectName(name))
    throw usageError(`'${name}' is not a valid object name: must be a lowercase RFC 1123 subdomain`);
  const lower = type.toLowerCase();
  const config = Object.hasOwn(configKinds, lower) ? configKinds[lower] : undefined;
  if (config !== undefined) return { is: 'config', kind: config, name };
  const workload = Object.hasOwn(workloadKinds, lower) ? workloadKinds[lower] : undefined;
  if (workload !== undefined) return { is: 'workload', kind: workload, name };
  const known = [...Object.keys(configKinds), ...Object.keys(workloadKinds)];
  const meant = didYouMean(lower, known);
  throw usageError(
    `'${type}' is not a type that Trimtab knows: must be configmap, secret, deployment, statefulset or daemonset${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  );
}

/** `configmap/foo`, the form that users type and that `-o name` prints. */
export function typedName({ kind, name }: { kind: string; name: string }): string {
  return `${kind.toLowerCase()}/${name}`;
}

function isObjectName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);
}
