import { configRolloutResource } from '../../api/config-rollout.ts';
import type { KubeObject } from '../../api/wire.ts';
import { guard, sameEntries } from './guard.ts';

const { group, version, plural } = configRolloutResource;

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
        matters: `request.operation != 'UPDATE' || ${changes.join(' || ')}`,
      },
      validations: [
        {
          expression: `!variables.matters || authorizer.group('').resource${resource}.namespace(request.namespace).name(${config}.name).check('update').allowed()`,
          messageExpression: `"user '" + request.userInfo.username + "' may not change what is rolled out of " + ${config}.kind + " '" + ${config}.name + "': that needs the right to update " + ${resource} + " '" + ${config}.name + "' in namespace '" + request.namespace + "'"`,
        },
      ],
    },
    namespace,
  );
}
