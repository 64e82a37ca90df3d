import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { systemNamespace } from '../../api/names.ts';
import { type Rule, roleAndBinding, rule } from '../../core/installation/rights.ts';
import { installation, type ManifestOptions, serviceAccountName } from './installation.ts';

/** The least that the controller needs, each for a reason. */
export function controllerRights(options: ManifestOptions): KubeObject[] {
  const names = installation(options.namespace);
  return [
    ...roleAndBinding(
      serviceAccountName,
      names.prefix,
      namespaceRules(options.secrets ?? true),
      options.namespace,
    ),
    ...roleAndBinding(serviceAccountName, `${names.prefix}-own`, ownObjects(names), systemNamespace),
    // Cluster-wide by nature. Named, and never created by the controller: it can touch no other webhook.
    ...roleAndBinding(serviceAccountName, `${names.prefix}-webhook`, [
      rule(
        'admissionregistration.k8s.io',
        ['mutatingwebhookconfigurations'],
        ['get', 'update'],
        [names.webhookConfiguration],
      ),
    ]),
  ];
}

/** In the namespaces that it manages. */
function namespaceRules(secrets: boolean): Rule[] {
  const { group, plural } = configRollouts;
  return [
    // Originals: read, and patched to carry the label of their group. Versions: made, marked and deleted.
    rule(
      '',
      ['configmaps', ...(secrets ? ['secrets'] : [])],
      ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    ),
    rule(group, [plural], ['get', 'list', 'watch', 'create', 'update', 'patch']),
    rule(group, [`${plural}/status`], ['update', 'patch']),
    // References in pod templates are rewritten; whether there is a workload at all is its owner's business.
    rule('apps', ['deployments', 'statefulsets', 'daemonsets'], ['get', 'list', 'watch', 'patch']),
    rule('apps', ['replicasets', 'controllerrevisions'], ['get', 'list', 'watch']),
    // Deleted only to free a StatefulSet that waits for its broken pod.
    rule('', ['pods'], ['get', 'list', 'watch', 'delete']),
    rule('', ['events'], ['create', 'patch']),
  ];
}

/** In its own namespace. A name can't restrict `create`: the object has none yet when that is asked. */
function ownObjects(names: { lease: string; webhookSecret: string }): Rule[] {
  return [
    rule('coordination.k8s.io', ['leases'], ['create']),
    rule('coordination.k8s.io', ['leases'], ['get', 'watch', 'update'], [names.lease]),
    rule('', ['secrets'], ['create']),
    rule('', ['secrets'], ['get', 'update'], [names.webhookSecret]),
    rule('', ['events'], ['create', 'patch']),
  ];
}
