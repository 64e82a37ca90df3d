import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { cel, guard } from './guard.ts';

/**
 * A Locked config keeps its data: versions of it come through the API. The ConfigRollout itself is asked, since its
 * spec owns the release mode and the annotation on the config only seeds it.
 *
 * failurePolicy Ignore: whoever is refused here has the right to edit the config, so that this is no fence but a
 * reminder; and it must not freeze configs when somebody has removed the ConfigRollout kind.
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
          // Without its label the next edit would not be seen by this guard.
          expression: `!(${isLocked}) || (${[...same, `${label('object')} == ${label('oldObject')}`].join(' && ')})`,
          messageExpression: `"${kind} '" + object.metadata.name + "' is locked: its data is not edited. Add a version through the API, or set spec.release of configrollout '" + params.metadata.name + "' to Auto or Manual."`,
        },
      ],
    },
    namespace,
  );
}
