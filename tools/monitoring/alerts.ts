import { notStalled } from 'trimtab/core/notification/outcome.ts';

export interface Alert {
  name: string;
  expr: string;
  /** How long the expression has to hold, as a duration of Prometheus. */
  for: string;
  severity: 'warning' | 'critical';
  summary: string;
  description: string;
}

/** Replicas of an installation report the same gauges, so that alerts take the highest. */
const by = 'by (namespace, job)';

export const alerts: readonly Alert[] = [
  {
    name: 'TrimtabRolledBack',
    expr: `sum ${by} (increase(trimtab_activations_total{result="rolled_back"}[15m])) > 0 or max ${by} (trimtab_rollouts_stalled{reason="Rejected"}) > 0`,
    for: '0m',
    severity: 'warning',
    summary: 'A config version failed and was rolled back.',
    description:
      'Workloads run the version before. The alert stays until the config gets content that becomes current.',
  },
  {
    name: 'TrimtabRollbackFailed',
    expr: `max ${by} (trimtab_rollouts{phase="RollbackFailed"}) > 0`,
    for: '2m',
    severity: 'critical',
    summary: 'A rollback cannot complete; workloads may still run a version that failed.',
    description:
      'A policy, a quota or a missing right denies a write that the rollback of {{ $value }} ConfigRollouts needs. The controller retries by itself.',
  },
  {
    name: 'TrimtabStalled',
    expr: `sum ${by} (max by (namespace, job, reason) (trimtab_rollouts_stalled{reason!~"${notStalled.join('|')}"})) > 0`,
    for: '15m',
    severity: 'warning',
    summary: 'Rollouts of config versions wait for a person.',
    description: '{{ $value }} ConfigRollouts have been Stalled: their configs do not reach the workloads.',
  },
  {
    name: 'TrimtabWatchDead',
    expr: [
      'max by (namespace, job, watch) (trimtab_watch_seconds_since_activity) > 180',
      'max by (namespace, job, watch) (trimtab_watch_failing_seconds) > 60',
      'min by (namespace, job, watch) (trimtab_watch_synced) == 0',
    ].join(' or '),
    for: '2m',
    severity: 'critical',
    summary: 'The watch of {{ $labels.watch }} receives nothing from the API server.',
    description: '{{ $labels.job }} does not notice changes of {{ $labels.watch }}.',
  },
  {
    name: 'TrimtabCertificateExpiring',
    expr: 'min by (namespace, job, certificate) (trimtab_certificate_not_after_timestamp_seconds) - time() < 7 * 86400',
    for: '15m',
    severity: 'warning',
    summary: 'The certificate of the {{ $labels.certificate }} expires in {{ $value | humanizeDuration }}.',
    description:
      'Certificates of Trimtab are renewed ten days before they expire, so that the renewal has been failing for days.',
  },
  {
    name: 'TrimtabNoLeader',
    expr: `max ${by} (trimtab_leader) < 1 or absent(trimtab_leader)`,
    for: '2m',
    severity: 'critical',
    summary: 'No controller of Trimtab is the leader.',
    description:
      'No version is created, rolled out or rolled back. Workloads keep running the versions that they have.',
  },
  {
    name: 'TrimtabNotificationsFailing',
    expr: [
      'max by (namespace, job, target) (trimtab_notifications_oldest_pending_seconds) > 600',
      'sum by (namespace, job, target) (increase(trimtab_notifications_total{result=~"rejected|expired|dropped"}[15m])) > 0',
    ].join(' or '),
    for: '0m',
    severity: 'warning',
    summary: 'Notifications for {{ $labels.target }} are not delivered.',
    description: 'The receiver does not answer, or it rejects notifications. Rollouts are not affected.',
  },
];
