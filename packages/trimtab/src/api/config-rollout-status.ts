import { array, choice, integer, object, optional, string } from './schema.ts';

const about = (description: string) => string({ description });
const time = (description: string) => string({ format: 'date-time', description });

const version = about('The name of the version.');
const versionObject = about('The name of the ConfigMap or Secret that holds the version.');

const by = about(
  "Who requested the activation: the user who set spec.version, if the webhook recorded the user; otherwise the field manager of spec.version or of the config's data, as 'NAME (field manager)'.",
);

const observed = object(
  {
    generation: optional(integer({ description: 'The generation of this ConfigRollout.' })),
    liveVersion: optional(
      about('The name of the version that has the content of the config; empty when no version has it.'),
    ),
    liveResourceVersion: optional(
      about(
        'The resourceVersion of the config. An edit of the config does not change the generation of this object.',
      ),
    ),
    specVersion: optional(about('The value of spec.version.')),
    requestId: optional(about('The id of the last request for spec.version.')),
    retry: optional(about('The value of annotation trimtab.dev/retry.')),
  },
  { description: 'What this status takes into account.' },
);

const current = object(
  { version, object: versionObject, since: time('When the version became current.') },
  { description: 'The version that is current.' },
);

const target = object(
  {
    version,
    object: versionObject,
    activation: about(
      'The id of the activation. Workloads have it in the annotation trimtab.dev/assignment.',
    ),
    members: array(string(), {
      description: 'All configs of the activation. They become current or are rolled back together.',
    }),
    startedAt: time('When the activation started.'),
    by: optional(by),
    reason: optional(about('Why the activation started.')),
  },
  { description: 'The version that an activation rolls out or rolls back; missing when none runs.' },
);

const workload = object({
  kind: about('Deployment, StatefulSet or DaemonSet.'),
  name: about('The name of the workload.'),
  mode: choice(['Recycle', 'Reload'], {
    description: 'How pods get a version: Recycle replaces them, Reload updates them without a restart.',
  }),
  state: about(
    'Pending, Progressing, Healthy, Failed, Inconclusive, NotJudged, NoPods, ScaledToZero, Left, Pinned, Assigning, Reverting, WaitingForDelete, WaitingForResume or WaitingForPartition.',
  ),
  updated: integer({ description: 'Pods that run the wanted version of the config.' }),
  total: integer({ description: 'Pods that have to be updated.' }),
  message: optional(about('What the workload waits for, or why it failed.')),
});

const attempt = object({
  version,
  result: about('Current, RolledBack, Aborted or Superseded.'),
  startedAt: time('When the activation started.'),
  finishedAt: optional(time('When the activation ended.')),
  by: optional(by),
  reason: optional(about('Why the activation started; why the version was rolled back or aborted.')),
  activation: optional(about('The id of the activation.')),
  previous: optional(about('The version that was current before the activation.')),
  cause: optional(about('The reason for which the version was rolled back, such as CrashLoopBackOff.')),
});

const condition = object({
  type: about('Ready, Reconciling, Stalled, Progressing, Degraded, or a warning such as OptInLost.'),
  status: choice(['True', 'False', 'Unknown'], { description: 'Whether the condition holds.' }),
  reason: about('A word for scripts and alerts; docs/reference/reasons.md lists all of them.'),
  message: about('Details for people.'),
  lastTransitionTime: time('When the status of the condition last changed.'),
  observedGeneration: optional(integer({ description: 'The generation that the condition is based on.' })),
});

export const phases = [
  'Current',
  'BeingCurrent',
  'Parked',
  'RollingBack',
  'RollbackFailed',
  'Failed',
  'Aborted',
  'Paused',
] as const;

/** Everything here can be rebuilt from versions, workloads and the ledger. */
export const statusSchema = object(
  {
    observedGeneration: optional(
      integer({
        description:
          'The generation of this ConfigRollout that the status is based on; -1 until the controller has observed it.',
      }),
    ),
    observed: optional(observed),
    current: optional(current),
    target: optional(target),
    phase: optional(
      choice(phases, {
        description: 'The state of the rollout in one word.',
      }),
    ),
    workloads: optional(array(workload, { description: 'The managed workloads that use the config.' })),
    updated: optional(about("Pods that run the wanted version, out of all pods that should, such as '3/4'.")),
    history: optional(array(attempt, { maxItems: 20, description: 'The last activations, newest first.' })),
    conditions: optional(
      array(condition, {
        listMapKeys: ['type'],
        description:
          'Ready, Reconciling, Stalled, Progressing and Degraded; warnings such as OptInLost only while they hold.',
      }),
    ),
  },
  // Clients such as Flux and Helm take an object without conditions for ready. With this default, they wait for the controller.
  { default: { observedGeneration: -1 } },
);
