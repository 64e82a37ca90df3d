import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { cel, guard, sameEntries, type Validation } from './guard.ts';

const { group, plural } = configRollouts;
/** All labels and annotations of ours begin so. */
const domain = `${group}/`;

/**
 * Versions are made by those who could edit the config, changed by nobody, and deleted by nobody while something
 * depends on them.
 *
 * Which config a version is of, its annotation says, and the labels by which it is found have to agree with it. The
 * uid of a rollout says nothing to an API server, so that the controller takes a version for one of a rollout only
 * if both name the same config. `immutable` is Kubernetes' own lock on the data: it is enough to insist on it at
 * birth.
 *
 * failurePolicy Fail: it is evaluated inside of API servers and only for objects that carry our label, so there is
 * no server whose absence could block anybody.
 */
export function guardVersions(namespace: string | undefined): KubeObject[] {
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
      // Holds when the object had the label before or has it after: taking it off is an update like any other.
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
    namespace,
  );
}

function onCreate(): Validation[] {
  const only = "request.operation != 'CREATE' || ";
  const label = `variables.labels[?${cel(labels.config)}].orValue('')`;
  return [
    {
      // A longer name is in the label as a hash, which CEL can't compute; the annotation is what counts.
      expression: `${only}(variables.config != '' && (size(variables.config) > 63 || ${label} == variables.config))`,
      messageExpression: `"a version has the name of its config as annotation and label ${labels.config}, not '" + variables.config + "' and '" + ${label} + "'. Versions are made by editing the config."`,
    },
    {
      expression: `${only}variables.mayUpdate`,
      messageExpression: `"user '" + request.userInfo.username + "' may not make a version of '" + variables.config + "': that needs the right to update " + request.resource.resource + " '" + variables.config + "' in namespace '" + request.namespace + "'"`,
    },
    {
      expression: `${only}(has(object.immutable) && object.immutable)`,
      messageExpression: `'a version has to be immutable: true'`,
    },
    {
      expression: `${only}variables.annotations[?${cel(annotations.createdBy)}].orValue(request.userInfo.username) == request.userInfo.username || variables.mayRestore`,
      messageExpression: `"annotation ${annotations.createdBy} has to be '" + request.userInfo.username + "', who you are"`,
    },
    {
      // What happened to a version is for the controller to say, or for whoever restores a backup of its words.
      expression: `${only}(variables.labels[?${cel(labels.state)}].orValue('not-current') == 'not-current' && !(${cel(labels.inUse)} in variables.labels) && !(${cel(annotations.rejected)} in variables.annotations)) || variables.mayRestore`,
      messageExpression: `"a new version is not-current, not in use and not rejected: only Trimtab says otherwise, or who may update ${plural}/status and restores a backup"`,
    },
  ];
}

function onUpdate(): Validation[] {
  const only = "request.operation != 'UPDATE' || ";
  return [
    {
      expression: `${only}(${sameEntries(domain, 'variables.oldLabels', 'variables.labels')})`,
      messageExpression: `"labels ${domain}* of version '" + object.metadata.name + "' are changed by Trimtab only"`,
    },
    {
      expression: `${only}(${sameEntries(domain, 'variables.oldAnnotations', 'variables.annotations')})`,
      messageExpression: `"annotations ${domain}* of version '" + object.metadata.name + "' are changed by Trimtab only"`,
    },
    {
      // Who owns it decides when the garbage collector takes it: another owner would be a way to delete it.
      expression: `${only}object.metadata.?ownerReferences.orValue([]) == oldObject.metadata.?ownerReferences.orValue([])`,
      messageExpression: `"the owner references of version '" + object.metadata.name + "' are changed by Trimtab only"`,
    },
  ];
}

function onDelete(): Validation[] {
  const only = "request.operation != 'DELETE' || ";
  const state = `variables.oldLabels[?${cel(labels.state)}].orValue('')`;
  return [
    {
      expression: `${only}!(${state} in ['current', 'being-current'])`,
      messageExpression: `"version '" + oldObject.metadata.name + "' is " + ${state} + ": make another version current first"`,
    },
    {
      expression: `${only}!(${cel(labels.inUse)} in variables.oldLabels)`,
      messageExpression: `"version '" + oldObject.metadata.name + "' is in use: pods, ReplicaSets or ControllerRevisions name it. It goes with the last of them."`,
    },
  ];
}
