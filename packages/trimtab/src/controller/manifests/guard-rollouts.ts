import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { cel, guard, sameEntries, type Validation } from './guard.ts';

const { group, version, plural } = configRollouts;

/**
 * Who moves a config through its ConfigRollout must be one who could have edited the config: otherwise an old
 * version of a Secret could be brought back by somebody who may not touch it. To delete a rollout puts workloads
 * back to the live config, an owner reference would have the garbage collector do it, and status holds what was
 * last seen, so all of these count. Labels and annotations of the user's own are free.
 *
 * failurePolicy Fail: evaluated inside of API servers, for ConfigRollouts only.
 */
export function guardRollouts(namespace: string | undefined): KubeObject[] {
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
          messageExpression: `"user '" + request.userInfo.username + "' may not change what is rolled out of " + ${config}.kind + " '" + ${config}.name + "': that needs the right to update " + ${resource} + " '" + ${config}.name + "' in namespace '" + request.namespace + "'"`,
        },
        ...stampValidations(),
      ],
    },
    namespace,
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
 * Who asked for a version is written down by the webhook. Nobody writes another name than their own, but for those
 * who restore a backup; and while the webhook is down, a name that is there must not come to stand for a later wish.
 */
function stampValidations(): Validation[] {
  const only = "request.operation == 'DELETE' || variables.isOwn || variables.mayRestore || ";
  return [
    {
      expression: `${only}(variables.by == variables.oldBy && variables.asked == variables.oldAsked)`,
      messageExpression: `"annotation ${annotations.requestedBy} says who asked for spec.version, and has to be '" + request.userInfo.username + "', who you are; leave it out"`,
    },
    {
      expression: `${only}variables.version == variables.oldVersion || variables.asked != variables.version`,
      messageExpression: `"annotation ${annotations.requestedBy} would say that '" + variables.by + "' asks for version '" + variables.version + "'; remove it together with your change"`,
    },
  ];
}
