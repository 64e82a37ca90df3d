import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { cel, guard } from './guard.ts';

/**
 * Denies edits of the data of a Locked config: its versions are created through the API. The policy reads the
 * ConfigRollout, because its spec holds the release mode; the annotation on the config is only the initial value.
 *
 * failurePolicy Ignore: a user who is denied here has permission to edit the config, so the policy is a reminder and
 * not a security boundary. It must not block edits of configs when the ConfigRollout kind was removed.
 */
export function guardLocked(kind: ConfigKind, namespace: string | undefined): KubeObject[] {
  const { group, version, kind: rolloutKind } = configRollouts;
  const isLocked = `params.spec.config.kind == ${cel(kind)} && params.spec.config.name == object.metadata.name && params.spec.release == 'Locked'`;
  const fields = kind === 'ConfigMap' ? ['data', 'binaryData'] : ['data'];
  const same = fields.map((field) => `object.?${field}.orValue({}) == oldObject.?${field}.orValue({})`);
  const label = (object: string) => `${object}.metadata.?labels[?${cel(labels.config)}].orValue('')`;
  return guard(
    {
      name: `locked-${kind.toLowerCase()}s`,
      failurePolicy: 'Ignore',
      params: { apiVersion: `${group}/${version}`, kind: rolloutKind },
      resources: {
        group: '',
        version: 'v1',
        plurals: [`${kind.toLowerCase()}s`],
        operations: ['UPDATE'],
      },
      objectSelector: {
        matchExpressions: [
          { key: labels.config, operator: 'Exists' },
          { key: labels.versionOf, operator: 'DoesNotExist' },
        ],
      },
      variables: {},
      validations: [
        {
          // Without the label, this policy would not match the next edit.
          expression: `!(${isLocked}) || (${[...same, `${label('object')} == ${label('oldObject')}`].join(' && ')})`,
          messageExpression: `"${kind} '" + object.metadata.name + "' is locked by ConfigRollout '" + params.metadata.name + "': its data cannot be changed. Create a version through the Trimtab API, or set spec.release of the ConfigRollout to Auto or Manual"`,
        },
      ],
    },
    namespace,
  );
}
