import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { gatewayTrust } from '../../api/names.ts';
import { reloadReports } from '../../api/reload-report.ts';
import { type Rule, roleAndBinding, rule } from '../../core/installation/rights.ts';
import { type Installation, installation, type ManifestOptions, serviceAccountName } from './installation.ts';
import { podRequests } from './pod-policies.ts';

/** The minimal permissions of the controller. */
export function controllerRights(options: ManifestOptions): KubeObject[] {
  const names = installation(options);
  const account = { name: serviceAccountName, namespace: names.homeNamespace };
  return [
    ...roleAndBinding(account, names.prefix, namespaceRules(options), options.namespaces),
    ...roleAndBinding(account, `${names.prefix}-own`, ownObjects(names, options), [names.homeNamespace]),
    // Webhook configurations are cluster-scoped. The rule names one that the controller does not create itself, so the
    // controller cannot change other webhooks.
    ...roleAndBinding(account, `${names.prefix}-webhook`, [
      rule(
        'admissionregistration.k8s.io',
        ['mutatingwebhookconfigurations'],
        ['get', 'update'],
        [names.webhookConfiguration],
      ),
      ...podAdmissionRules(names, options),
    ]),
    // Namespaces are cluster-scoped.
    ...(options.watchNamespaces
      ? roleAndBinding(account, `${names.prefix}-namespaces`, [rule('', ['namespaces'], ['list', 'watch'])])
      : []),
  ];
}

/** The controller reads whether the policies of pods exist, before it relies on them. */
function podAdmissionRules(
  { prefix }: Installation,
  { webhook = true, mutatingPolicies = false }: ManifestOptions,
): Rule[] {
  const kinds = [
    ...(webhook || mutatingPolicies
      ? ['validatingadmissionpolicies', 'validatingadmissionpolicybindings']
      : []),
    ...(mutatingPolicies ? ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'] : []),
  ];
  const name = `${prefix}-${podRequests.pods.name}`;
  return kinds.length === 0 ? [] : [rule('admissionregistration.k8s.io', kinds, ['get'], [name])];
}

/** Rules for the managed namespaces. */
function namespaceRules({
  secrets = true,
  inject = false,
  reloaderAnnotations = false,
}: ManifestOptions): Rule[] {
  const { group, plural } = configRollouts;
  return [
    // Originals are read, and patched to set the group label and the content of Locked ones. Versions are created,
    // patched and deleted.
    rule(
      '',
      ['configmaps', ...(secrets ? ['secrets'] : [])],
      ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    ),
    // The annotations of a namespace may set the release mode of its configs.
    rule('', ['namespaces'], ['get']),
    // A ServiceAccount may limit the Secrets of its pods.
    ...(secrets ? [rule('', ['serviceaccounts'], ['get'])] : []),
    // A ConfigRollout is deleted when its config is gone and nothing references its versions.
    rule(group, [plural], ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']),
    rule(group, [`${plural}/status`], ['update', 'patch']),
    // References in pod templates are patched. The controller never creates or deletes workloads.
    rule('apps', ['deployments', 'statefulsets', 'daemonsets'], ['get', 'list', 'watch', 'patch']),
    rule('apps', ['replicasets', 'controllerrevisions'], ['get', 'list', 'watch']),
    // What agents have reported. Gateways write the reports; the controller deletes those that are superseded.
    ...(inject ? [rule(group, [reloadReports.plural], ['list', 'watch', 'delete'])] : []),
    // A pod is deleted only when a StatefulSet waits for it although it is broken.
    rule('', ['pods'], ['get', 'list', 'watch', 'delete']),
    rule('', ['events'], ['create', 'patch']),
    // Reloader updates these kinds. An Event tells that its annotations on them have no effect.
    ...(reloaderAnnotations
      ? [
          rule('batch', ['jobs', 'cronjobs'], ['list', 'watch']),
          rule('argoproj.io', ['rollouts'], ['list', 'watch']),
        ]
      : []),
  ];
}

/**
 * Rules for the system namespace. `create` cannot be restricted by name: RBAC does not know the name of a new object.
 */
function ownObjects(names: Installation, { inject = false, notifications = false }: ManifestOptions): Rule[] {
  return [
    rule('coordination.k8s.io', ['leases'], ['create']),
    rule('coordination.k8s.io', ['leases'], ['get', 'watch', 'update'], [names.lease]),
    rule('', ['secrets'], ['create']),
    rule('', ['secrets'], ['get', 'update'], [names.webhookSecret]),
    // The certificate authority of the gateway, which agents trust.
    ...(inject ? [rule('', ['configmaps'], ['get'], [gatewayTrust.configMap])] : []),
    ...(notifications
      ? [
          rule('', ['configmaps'], ['create']),
          rule('', ['configmaps'], ['get', 'patch'], [names.notificationRecord]),
        ]
      : []),
    rule('', ['events'], ['create', 'patch']),
  ];
}
