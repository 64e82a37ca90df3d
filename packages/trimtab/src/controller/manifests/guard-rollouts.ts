import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { cel, guard, sameEntries, type Validation } from './guard.ts';
import type { Installation } from './installation.ts';

const { group, version, plural } = configRollouts;

/**
 * Requires permission to update the config for changes of its ConfigRollout. Otherwise a user could reactivate an old
 * version of a Secret without permission to change that Secret. The rule covers spec, deletion (workloads return to
 * the live config), owner references (the garbage collector would delete the rollout) and status (it holds the
 * observed requests). Labels and annotations without Trimtab's prefix are not restricted.
 *
 * failurePolicy Fail: API servers evaluate the policy themselves, and only for ConfigRollouts.
 */
export function guardRollouts(names: Installation): KubeObject[] {
  const config = 'variables.rollout.spec.config';
  const resource = `(${config}.kind == 'Secret' ? 'secrets' : 'configmaps')`;
  const same = (field: string) =>
    `object.metadata.?${field}.orValue([]) == oldObject.metadata.?${field}.orValue([])`;
  const changes = [
    'object.spec != oldObject.spec',
    'has(object.status) != has(oldObject.status)',
    '(has(object.status) && object.status != oldObject.status)',
    `!(${sameEntries(`${group}/`, 'variables.oldAnnotations', 'variables.annotations')})`,
    `!(${same('ownerReferences')})`,
  ];
  return guard(
    {
      name: 'rollouts',
      failurePolicy: 'Fail',
      resources: {
        group,
        version,
        plurals: [plural, `${plural}/status`],
        operations: ['CREATE', 'UPDATE', 'DELETE'],
      },
      variables: {
        rollout: "request.operation == 'DELETE' ? oldObject : object",
        annotations: 'object.metadata.?annotations.orValue({})',
        oldAnnotations: 'oldObject.metadata.?annotations.orValue({})',
        ...stampVariables,
        matters: `request.operation != 'UPDATE' || ${changes.join(' || ')}`,
      },
      validations: [
        {
          expression: `!variables.matters || authorizer.group('').resource${resource}.namespace(request.namespace).name(${config}.name).check('update').allowed()`,
          messageExpression: `"user '" + request.userInfo.username + "' cannot change the ConfigRollout of " + ${config}.kind + " '" + ${config}.name + "': missing permission to update " + ${resource} + " '" + ${config}.name + "' in namespace '" + request.namespace + "'"`,
        },
        ...stampValidations(),
      ],
    },
    names,
  );
}

const [by, asked] = [cel(annotations.requestedBy), cel(annotations.requestedVersion)];
const before = (what: string) => `request.operation == 'UPDATE' ? ${what} : ''`;

const stampVariables = {
  by: `variables.annotations[?${by}].orValue('')`,
  asked: `variables.annotations[?${asked}].orValue('')`,
  oldBy: before(`variables.oldAnnotations[?${by}].orValue('')`),
  oldAsked: before(`variables.oldAnnotations[?${asked}].orValue('')`),
  version: `object.spec.?version.orValue('')`,
  oldVersion: before(`oldObject.spec.?version.orValue('')`),
  isOwn: `variables.by in ['', request.userInfo.username]`,
  mayRestore: `authorizer.group(${cel(group)}).resource(${cel(plural)}).subresource('status').namespace(request.namespace).check('update').allowed()`,
};

/**
 * The webhook records who requested a version. A user may record only their own name, except to restore a backup.
 * While the webhook is down, a recorded name must not be attributed to a later request.
 */
function stampValidations(): Validation[] {
  const only = "request.operation == 'DELETE' || variables.isOwn || variables.mayRestore || ";
  return [
    {
      expression: `${only}(variables.by == variables.oldBy && variables.asked == variables.oldAsked)`,
      messageExpression: `"annotation ${annotations.requestedBy} names the user who requested spec.version and must be '" + request.userInfo.username + "', the user of this request: omit the annotation. Recording another user requires permission to update ${plural}/status"`,
    },
    {
      expression: `${only}variables.version == variables.oldVersion || variables.asked != variables.version`,
      messageExpression: `"annotation ${annotations.requestedBy} would name '" + variables.by + "' as the requester of version '" + variables.version + "': remove the annotation in the same request. Recording another user requires permission to update ${plural}/status"`,
    },
  ];
}
