import { detailsCommand, type Outcome, outcomeText } from './outcome.ts';

/** The body of a CloudEvent 1.0 in structured mode. `cluster` is the name that the operator gave the cluster. */
export function cloudEvent(outcome: Outcome, cluster: string | undefined): object {
  const { id, time, config, rollout, outcome: name } = outcome;
  const { kind, namespace } = config;
  const { version, previous, activation, reason, by, durationSeconds, workloads } = outcome;
  return {
    specversion: '1.0',
    id,
    source: `/apis/trimtab.dev/v1alpha1/namespaces/${namespace}/configrollouts/${rollout}`,
    type: `dev.trimtab.rollout.${name}`,
    subject: `${kind}/${namespace}/${config.name}`,
    time,
    datacontenttype: 'application/json',
    data: {
      ...(cluster !== undefined && { cluster }),
      config,
      ...(version !== undefined && { version }),
      ...(previous !== undefined && { previousVersion: previous }),
      ...(activation !== undefined && { activation }),
      reason,
      message: outcomeText(outcome),
      details: detailsCommand(outcome),
      ...(by !== undefined && { by }),
      ...(durationSeconds !== undefined && { durationSeconds }),
      workloads,
    },
  };
}
