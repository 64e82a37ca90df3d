import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations, labels, versionSecretType } from '../../api/names.ts';
import { mayNameVersion } from '../../api/version-name-rules.ts';
import { refusedTypes } from '../../core/version/version-plan.ts';
import { cel, guard, sameEntries, type Validation } from './guard.ts';
import type { Installation } from './installation.ts';

const { group, plural, kind } = configRollouts;
/** Prefix of all labels and annotations of Trimtab. */
const domain = `${group}/`;

/**
 * Lets users create versions of configs that they may update, denies all changes of versions, and denies the deletion
 * of versions in use. To purge a version in use, a user first writes the own name into the annotation
 * `trimtab.dev/purge`: a DELETE carries no annotations, and the name keeps an interrupted purge from helping others.
 * The current version of a managed config is never deleted.
 *
 * The annotation `trimtab.dev/config` names the config of a version, and the label must match it. CEL cannot verify
 * the uid of a rollout, so the controller treats a version as belonging to a rollout only if both name the same
 * config. `immutable` makes API servers reject changes of the data, so it is required at creation only.
 *
 * failurePolicy Fail: API servers evaluate the policy themselves and only for objects with the label, so no
 * unavailable webhook can block requests.
 */
export function guardVersions(names: Installation): KubeObject[] {
  return guard(
    {
      name: 'versions',
      failurePolicy: 'Fail',
      resources: {
        group: '',
        version: 'v1',
        plurals: ['configmaps', 'secrets'],
        operations: ['CREATE', 'UPDATE', 'DELETE'],
      },
      // The selector matches when the old or the new object has the label, so removing the label is denied too.
      objectSelector: { matchExpressions: [{ key: labels.versionOf, operator: 'Exists' }] },
      variables: {
        labels: 'object.metadata.?labels.orValue({})',
        annotations: 'object.metadata.?annotations.orValue({})',
        oldLabels: 'oldObject.metadata.?labels.orValue({})',
        oldAnnotations: 'oldObject.metadata.?annotations.orValue({})',
        config: `variables.annotations[?${cel(annotations.config)}].orValue('')`,
        mayUpdate:
          "authorizer.group('').resource(request.resource.resource).namespace(request.namespace).name(variables.config).check('update').allowed()",
        mayRestore: `authorizer.group(${cel(group)}).resource(${cel(plural)}).subresource('status').namespace(request.namespace).check('update').allowed()`,
      },
      validations: [...onCreate(), ...onUpdate(), ...onDelete()],
    },
    names,
  );
}

function onCreate(): Validation[] {
  const only = "request.operation != 'CREATE' || ";
  const label = `variables.labels[?${cel(labels.config)}].orValue('')`;
  const version = `variables.annotations[?${cel(annotations.version)}].orValue('')`;
  const originalType = `variables.annotations[?${cel(annotations.originalType)}].orValue('')`;
  const neverVersions = [...refusedTypes, versionSecretType];
  return [
    {
      // The label holds a hash of a longer name, which CEL cannot compute; the annotation is authoritative.
      expression: `${only}(variables.config != '' && (size(variables.config) > 63 || ${label} == variables.config))`,
      messageExpression: `"a version must have the name of its config as annotation and label ${labels.config}; found annotation '" + variables.config + "' and label '" + ${label} + "'. Edit the config to create a version"`,
    },
    {
      expression: `${only}${mayNameVersion(version)}`,
      messageExpression: `"annotation ${annotations.version} of a version must have 1 to 253 characters, none of them a control, invisible or bidirectional character, and must not be 'current'"`,
    },
    {
      // Users select and list versions by this label, so it must not show the name of another version.
      expression: `${only}variables.labels[?${cel(labels.version)}].orValue(${version}) == ${version}`,
      messageExpression: `"label ${labels.version} of a version must be its annotation ${annotations.version}, '" + ${version} + "', or be absent"`,
    },
    {
      expression: `${only}variables.mayUpdate`,
      messageExpression: `"user '" + request.userInfo.username + "' cannot create a version of '" + variables.config + "': missing permission to update " + request.resource.resource + " '" + variables.config + "' in namespace '" + request.namespace + "'"`,
    },
    {
      expression: `${only}(has(object.immutable) && object.immutable)`,
      messageExpression: `'a version must set immutable: true'`,
    },
    {
      // Kubernetes fills Secrets of other types with credentials. A ConfigMap has no type, so the check is dynamic.
      expression: `${only}request.resource.resource != 'secrets' || dyn(object).type == ${cel(versionSecretType)}`,
      messageExpression: `'the version of a Secret must have type ${versionSecretType}'`,
    },
    {
      expression: `${only}!(${originalType} in [${neverVersions.map(cel).join(', ')}])`,
      messageExpression: `"annotation ${annotations.originalType} of a version cannot be '" + ${originalType} + "': Secrets of this type cannot have versions"`,
    },
    {
      expression: `${only}variables.annotations[?${cel(annotations.createdBy)}].orValue(request.userInfo.username) == request.userInfo.username || variables.mayRestore`,
      messageExpression: `"annotation ${annotations.createdBy} must be '" + request.userInfo.username + "', the user of this request. Recording another user requires permission to update ${plural}/status"`,
    },
    {
      // Only the controller writes the state of a version, except when a backup is restored.
      expression: `${only}(variables.labels[?${cel(labels.state)}].orValue('not-current') == 'not-current' && !(${cel(labels.inUse)} in variables.labels) && !(${cel(annotations.rejected)} in variables.annotations)) || variables.mayRestore`,
      messageExpression: `"a new version must be not-current, not in use and not rejected. Restoring another state from a backup requires permission to update ${plural}/status"`,
    },
  ];
}

function onUpdate(): Validation[] {
  const only = "request.operation != 'UPDATE' || ";
  return [
    {
      expression: `${only}(${sameEntries(domain, 'variables.oldLabels', 'variables.labels')})`,
      messageExpression: `"labels ${domain}* of version '" + object.metadata.name + "' cannot be changed: only Trimtab writes them"`,
    },
    {
      expression: `${only}(${sameEntries(domain, 'variables.oldAnnotations', 'variables.annotations', annotations.purge)})`,
      messageExpression: `"annotations ${domain}* of version '" + object.metadata.name + "' cannot be changed: only Trimtab writes them"`,
    },
    {
      expression: `${only}${purger('annotations')} in ['', ${purger('oldAnnotations')}, request.userInfo.username]`,
      messageExpression: `"annotation ${annotations.purge} of version '" + object.metadata.name + "' must be '" + request.userInfo.username + "', the user of this request"`,
    },
    {
      // The garbage collector deletes a version with its last owner, so changing the owners could delete it.
      expression: `${only}object.metadata.?ownerReferences.orValue([]) == oldObject.metadata.?ownerReferences.orValue([])`,
      messageExpression: `"ownerReferences of version '" + object.metadata.name + "' cannot be changed: only Trimtab writes them"`,
    },
  ];
}

function onDelete(): Validation[] {
  const only = "request.operation != 'DELETE' || ";
  const state = `variables.oldLabels[?${cel(labels.state)}].orValue('')`;
  const isPurged = `${purger('oldAnnotations')} == request.userInfo.username`;
  const isOwned = `oldObject.metadata.?ownerReferences.orValue([]).exists(o, o.kind == ${cel(kind)})`;
  return [
    {
      // The version that was current when the management of its config ended has no ConfigRollout as owner.
      expression: `${only}${state} != 'current' || (${isPurged} && !${isOwned})`,
      messageExpression: `"version '" + oldObject.metadata.name + "' cannot be deleted while it is current: make another version current first"`,
    },
    {
      expression: `${only}!(${cel(labels.inUse)} in variables.oldLabels) || ${isPurged}`,
      messageExpression: `"version '" + oldObject.metadata.name + "' cannot be deleted while it is in use: pods, ReplicaSets or ControllerRevisions reference it. Retry after the last of them is deleted, or purge the version through the Trimtab API"`,
    },
  ];
}

/** CEL expression of the user who purges a version; '' when no one does. */
function purger(variable: 'annotations' | 'oldAnnotations'): string {
  return `variables.${variable}[?${cel(annotations.purge)}].orValue('')`;
}
