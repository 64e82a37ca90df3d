import { forbidden } from '../errors/status-error.ts';
import { pod as pods } from '../kinds/core/pod.ts';
import type { Container, Pod } from '../kinds/core/pod-types.ts';
import { serviceAccount } from '../kinds/core/service-account.ts';
import { randomSuffix } from '../meta/generated-name.ts';
import type { ApiObject } from '../object.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';
import { type AdmissionPlugin, nameInRefusals } from './admission.ts';

const tokenFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

interface ServiceAccount extends ApiObject {
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: { name?: string }[];
}

/** Sets the service account of a pod and mounts its token where client libraries expect it. */
export function serviceAccounts(storage: ObjectStorage): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    mutate({ operation, kind, subresource, object, namespace = '', name }) {
      if (operation !== 'CREATE' || kind !== pods || subresource !== '') return;
      const { spec } = object as Pod;
      spec.serviceAccountName ??= 'default';
      spec.serviceAccount = spec.serviceAccountName;
      const found = storage.get(serviceAccount, namespace, spec.serviceAccountName);
      if (found === undefined)
        throw forbidden(
          kind,
          nameInRefusals({ name, object }),
          `error looking up service account ${namespace}/${spec.serviceAccountName}: serviceaccount ${JSON.stringify(spec.serviceAccountName)} not found`,
        );
      const account = found.object as ServiceAccount;
      if (spec.imagePullSecrets === undefined && account.imagePullSecrets !== undefined)
        spec.imagePullSecrets = account.imagePullSecrets;
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true)
        mountToken(object as Pod);
    },
  };
}

function mountToken({ spec }: Pod): void {
  // A pod that was copied from a running pod already has the volume.
  const known = spec.volumes?.find((volume) => volume.name?.startsWith('kube-api-access-'))?.name;
  const name = known ?? `kube-api-access-${randomSuffix()}`;
  const lacking = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(
    ({ volumeMounts = [] }: Container) => !volumeMounts.some(({ mountPath }) => mountPath === tokenFolder),
  );
  if (lacking.length === 0) return;
  for (const container of lacking)
    container.volumeMounts = [
      ...(container.volumeMounts ?? []),
      { name, readOnly: true, mountPath: tokenFolder },
    ];
  if (known !== undefined) return;
  const sources = [
    // The seven seconds tell a token that is mounted by default from one that the pod spec requests.
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ];
  spec.volumes = [...(spec.volumes ?? []), { name, projected: { sources, defaultMode: 0o644 } }];
}

/** Keeps a pod for five minutes on a node that is not ready or unreachable. */
export const podDefaults: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate({ operation, kind, subresource, object }) {
    if (operation !== 'CREATE' || kind !== pods || subresource !== '') return;
    const { spec } = object as Pod;
    const tolerations = spec.tolerations ?? [];
    for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
      const isTolerated = tolerations.some(
        (each) =>
          (each.key === undefined || each.key === key) &&
          (each.effect === undefined || each.effect === 'NoExecute'),
      );
      if (!isTolerated)
        tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
    }
    spec.tolerations = tolerations;
  },
};
