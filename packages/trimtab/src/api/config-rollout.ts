import type { KubeObject } from '@trimtab/kube/wire.ts';
import { statusSchema } from './config-rollout-status.ts';
import {
  array,
  boolean,
  choice,
  type Infer,
  integer,
  intOrPercent,
  object,
  optional,
  string,
} from './schema.ts';
import { mayRequestVersion } from './version-name-rules.ts';

/** The custom resource ConfigRollout, one per managed config. Its status is a summary of the observed state. */
export const configRollouts = {
  group: 'trimtab.dev',
  version: 'v1alpha1',
  kind: 'ConfigRollout',
  plural: 'configrollouts',
  namespaced: true,
} as const;

const strategy = object(
  {
    bakeSeconds: integer({
      default: 10,
      minimum: 0,
      description:
        'Time in seconds for which all updated workloads must be healthy before the next wave starts, and before the version becomes current.',
    }),
    progressDeadlineSeconds: integer({
      default: 600,
      minimum: 1,
      description:
        'The maximum time in seconds for a workload to make progress before it is considered to be failed. Progress is counted as for Deployments.',
    }),
    maxRestarts: integer({
      default: 1,
      minimum: 0,
      description:
        'Restarts of a container that are tolerated before its new pod is considered to be failed.',
    }),
    onFailure: choice(['Rollback', 'Pause'], {
      default: 'Rollback',
      description:
        'What happens when an activation fails. Rollback: all workloads get their previous version back. Pause: the activation waits for a person.',
    }),
    steps: optional(
      array(intOrPercent(), {
        maxItems: 20,
        description:
          'Reload only: number or percentage of the pods of a workload that get the version in each step. Defaults to [1, "10%", "50%", "100%"].',
      }),
    ),
    ackTimeoutSeconds: integer({
      default: 30,
      minimum: 1,
      description: 'Reload only: time in seconds for a pod to acknowledge the version.',
    }),
    minIntervalSeconds: integer({
      default: 0,
      minimum: 0,
      description:
        'The minimum time in seconds between two automatic activations, for configs that change often.',
    }),
  },
  { description: 'How versions are rolled out.', default: {} },
);

const spec = object({
  config: object(
    {
      kind: choice(['ConfigMap', 'Secret']),
      name: string({ minLength: 1, maxLength: 253 }),
    },
    {
      description: 'The ConfigMap or Secret whose versions are rolled out. Immutable.',
      rules: [{ rule: 'self == oldSelf', message: 'spec.config is immutable; create another ConfigRollout' }],
    },
  ),
  release: choice(['Auto', 'Manual', 'Locked'], {
    default: 'Auto',
    description:
      'Auto: an edit of the config becomes a version and is activated. Manual: an edit becomes a version, which is activated on request only. Locked: edits of the data are refused.',
  }),
  version: optional(
    string({
      minLength: 1,
      maxLength: 253,
      description:
        'The name of the version to make current. With release mode Auto, an edit of the config clears this field.',
      rules: [
        {
          rule: "self != 'current'",
          message: "'current' is reserved: it stands for the version that is current",
        },
        {
          rule: mayRequestVersion('self'),
          message:
            'the name of a version must be one line without control characters and bidirectional marks',
        },
      ],
    }),
  ),
  paused: optional(boolean({ description: 'Pauses the rollout: while true, no workload is updated.' })),
  strategy,
  historyLimit: optional(
    integer({
      minimum: 0,
      maximum: 1000,
      description:
        'The number of old versions to retain to allow rollback, in addition to versions that are current or in use. Defaults to 10 for a ConfigMap and 3 for a Secret.',
    }),
  ),
});

export const configRolloutSchema = object(
  { spec, status: optional(statusSchema) },
  {
    rules: [
      {
        // A name beyond 253 characters is shortened with a hash. CEL cannot compute it, so only the prefix is checked.
        rule: "self.spec.config.kind.lowerAscii() + '-' + self.spec.config.name == self.metadata.name || (size(self.spec.config.kind) + 1 + size(self.spec.config.name) > 253 && self.metadata.name.startsWith(self.spec.config.kind.lowerAscii() + '-'))",
        message: "metadata.name must be 'configmap-' or 'secret-' followed by the name of the config",
      },
    ],
  },
);

export type ConfigRolloutSpec = Infer<typeof spec>;
export type ConfigRolloutStatus = Infer<typeof statusSchema>;
export type RolloutStrategy = Infer<typeof strategy>;

export interface ConfigRollout extends KubeObject {
  spec: ConfigRolloutSpec;
  status?: ConfigRolloutStatus;
}
