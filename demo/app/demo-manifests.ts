import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from 'trimtab/api/config-rollout.ts';
import { annotations } from 'trimtab/api/names.ts';
import { demoPort } from './demo-config.ts';

export const demoNamespace = 'default';
export const demoConfig = 'demo';
export const demoRollout = 'configmap-demo';

const name = 'demo';
const metadata = { name, namespace: demoNamespace };
const app = { app: name };

/** The manifests of the demo as a user would write them: an app behind a Service, with a managed ConfigMap. */
export function demoObjects(): KubeObject[] {
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    role({ apiGroups: [''], resources: ['pods'], verbs: ['list'] }, [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
      { apiGroups: [configRollouts.group], resources: [configRollouts.plural], verbs: ['get'] },
    ]),
    roleBinding(),
    configMap(),
    rollout(),
    deployment(),
    service(),
  ];
}

type Rule = Record<'apiGroups' | 'resources' | 'verbs', string[]>;

/** The page shows the other pods, so the service account of the app needs the right to read them. */
function role(first: Rule, others: Rule[]): KubeObject & { rules: Rule[] } {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules: [first, ...others] };
}

function roleBinding(): KubeObject & { roleRef: object; subjects: object[] } {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: demoNamespace }],
  };
}

function configMap(): KubeObject & { data: Record<string, string> } {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { colour: 'blue' } };
}

/** Bakes for 2 s instead of the default 10 s, because a person watches the demo. */
function rollout(): KubeObject & { spec: object } {
  const { group, version, kind } = configRollouts;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: demoRollout, namespace: demoNamespace },
    spec: { config: { kind: 'ConfigMap', name: demoConfig }, strategy: { bakeSeconds: 2 } },
  };
}

function deployment(): KubeObject & { spec: object } {
  const field = (variable: string, fieldPath: string) => ({
    name: variable,
    valueFrom: { fieldRef: { fieldPath } },
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadata, labels: app, annotations: { [annotations.manage]: 'true' } },
    spec: {
      replicas: 3,
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app },
        spec: {
          serviceAccountName: name,
          terminationGracePeriodSeconds: 5,
          containers: [
            {
              name,
              image: 'trimtab/demo',
              env: [field('POD_NAME', 'metadata.name'), field('POD_IP', 'status.podIP')],
              ports: [{ name: 'http', containerPort: demoPort }],
              readinessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 1 },
              terminationMessagePolicy: 'FallbackToLogsOnError',
              volumeMounts: [{ name: 'config', mountPath: '/etc/demo' }],
            },
          ],
          volumes: [{ name: 'config', configMap: { name: demoConfig } }],
        },
      },
    },
  };
}

function service(): KubeObject & { spec: object } {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: {
      type: 'LoadBalancer',
      selector: app,
      ports: [{ name: 'http', port: demoPort, targetPort: 'http' }],
    },
  };
}
