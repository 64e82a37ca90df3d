import type { KubeObject } from '@trimtab/kube/wire.ts';
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

/** The ConfigRollout of a config: intent in its spec, a summary of what is going on in its status. */
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
        'How long everything must be healthy before the next stage, and before the version is current.',
    }),
    progressDeadlineSeconds: integer({
      default: 600,
      minimum: 1,
      description: 'How long a rollout may go without progress, counted as Deployments count it.',
    }),
    maxRestarts: integer({
      default: 1,
      minimum: 0,
      description: 'Restarts of a new pod that are not yet a failure.',
    }),
    onFailure: choice(['Rollback', 'Pause'], {
      default: 'Rollback',
      description:
        'What a failed activation does: give every workload its previous version back, or wait for a person.',
    }),
    steps: optional(
      array(intOrPercent(), {
        maxItems: 20,
        description:
          'Reload only: how many pods of a workload take the version in each stage. [1, "10%", "50%", "100%"] unless set.',
      }),
    ),
    ackTimeoutSeconds: integer({
      default: 30,
      minimum: 1,
      description: 'Reload only: how long a pod has to acknowledge the version.',
    }),
    minIntervalSeconds: integer({
      default: 0,
      minimum: 0,
      description: 'The least time between two automatic activations, for configs that change all the time.',
    }),
  },
  { description: 'How a version is made current.', default: {} },
);

const spec = object({
  config: object(
    {
      kind: choice(['ConfigMap', 'Secret']),
      name: string({ minLength: 1, maxLength: 253 }),
    },
    {
      description: 'The config whose versions are rolled out.',
      rules: [
        { rule: 'self == oldSelf', message: 'spec.config cannot be changed; make another ConfigRollout' },
      ],
    },
  ),
  release: choice(['Auto', 'Manual', 'Locked'], {
    default: 'Auto',
    description:
      'Auto: an edit of the config becomes a version and is activated. Manual: it becomes a version only. Locked: edits of its data are refused.',
  }),
  version: optional(
    string({
      minLength: 1,
      maxLength: 253,
      description: 'The version to make current, by name. In Auto, an edit of the config clears it.',
      rules: [{ rule: "self != 'current'", message: "'current' is not the name of a version" }],
    }),
  ),
  paused: optional(boolean({ description: 'Nothing is moved while this is true.' })),
  strategy,
  historyLimit: optional(
    integer({
      minimum: 0,
      maximum: 1000,
      description:
        'How many old versions are kept to go back to, beside those that are current or running: 10 for a ConfigMap and 3 for a Secret unless set.',
    }),
  ),
});

const time = string({ format: 'date-time' });

const by = string({
  description:
    "Who asked for it: the user who set spec.version, where the webhook could see them; otherwise the program that wrote spec.version or the config's data, as '… (field manager)'.",
});

const status = object({
  observed: optional(
    object({
      generation: optional(integer()),
      liveHash: optional(
        string({ description: "Hash of the live config's content when it was last looked at." }),
      ),
      specVersion: optional(string()),
      requestId: optional(
        string({ description: 'The id of the last request for spec.version that was heard.' }),
      ),
    }),
  ),
  current: optional(object({ version: string(), object: string(), contentHash: string(), since: time })),
  target: optional(
    object({
      version: string(),
      object: string(),
      contentHash: string(),
      activation: string(),
      members: array(string(), { description: 'All configs of the activation: one id, one fate.' }),
      startedAt: time,
      by: optional(by),
      reason: optional(string()),
    }),
  ),
  phase: optional(choice(['Current', 'BeingCurrent', 'RollingBack', 'RollbackFailed', 'Failed', 'Paused'])),
  workloads: optional(
    array(
      object({
        kind: string(),
        name: string(),
        mode: choice(['Recycle', 'Reload']),
        state: string(),
        updated: integer(),
        total: integer(),
        message: optional(string()),
      }),
    ),
  ),
  updated: optional(string({ description: "Updated pods of all pods, as 'kubectl get' shows them." })),
  history: optional(
    array(
      object({
        version: string(),
        result: string(),
        startedAt: time,
        finishedAt: optional(time),
        by: optional(by),
        reason: optional(string()),
      }),
      { maxItems: 20, description: 'The last activations, newest first.' },
    ),
  ),
  conditions: optional(
    array(
      object({
        type: string(),
        status: choice(['True', 'False', 'Unknown']),
        reason: string(),
        message: string(),
        lastTransitionTime: time,
        observedGeneration: optional(integer()),
      }),
      { listMapKeys: ['type'] },
    ),
  ),
});

export const configRolloutSchema = object(
  { spec, status: optional(status) },
  {
    rules: [
      {
        // A name beyond 253 characters is cut and hashed, which CEL can't compute; the prefix still ties it.
        rule: "self.spec.config.kind.lowerAscii() + '-' + self.spec.config.name == self.metadata.name || (size(self.spec.config.kind) + 1 + size(self.spec.config.name) > 253 && self.metadata.name.startsWith(self.spec.config.kind.lowerAscii() + '-'))",
        message: "the name must be 'configmap-' or 'secret-' and the name of the config",
      },
    ],
  },
);

export type ConfigRolloutSpec = Infer<typeof spec>;
export type ConfigRolloutStatus = Infer<typeof status>;
export type RolloutStrategy = Infer<typeof strategy>;

export interface ConfigRollout extends KubeObject {
  spec: ConfigRolloutSpec;
  status?: ConfigRolloutStatus;
}
