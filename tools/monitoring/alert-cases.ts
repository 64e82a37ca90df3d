interface AlertCase {
  what: string;
  /** Series with values in the notation of promtool, one value a minute. */
  series: Record<string, string>;
  at: string;
  /** The labels of each alert that fires. `value` is the value in its annotations. */
  fires: Record<string, string>[];
}

const target = { namespace: 'trimtab-system', job: 'trimtab-controller' };
const on = (pod: string) => `namespace="trimtab-system", job="trimtab-controller", pod="${pod}"`;
const day = 86_400;

/** For each alert, series for which it fires and series for which it does not. */
export const alertCases: Record<string, readonly AlertCase[]> = {
  TrimtabRolledBack: [
    {
      what: 'an activation was rolled back, and another one followed',
      series: { [`trimtab_activations_total{result="rolled_back", ${on('a')}}`]: '0 0 1 1 1 1' },
      at: '4m',
      fires: [target],
    },
    {
      what: 'the rejected version is still wanted an hour later, and a new leader has not counted it',
      series: {
        [`trimtab_activations_total{result="rolled_back", ${on('b')}}`]: '0x70',
        [`trimtab_rollouts_stalled{reason="Rejected", ${on('b')}}`]: '1x70',
      },
      at: '60m',
      fires: [target],
    },
    {
      what: 'activations that become current, and one that a person aborted',
      series: {
        [`trimtab_activations_total{result="current", ${on('a')}}`]: '0+1x10',
        [`trimtab_activations_total{result="rolled_back", ${on('a')}}`]: '3x10',
        [`trimtab_rollouts_stalled{reason="Aborted", ${on('a')}}`]: '1x10',
      },
      at: '8m',
      fires: [],
    },
  ],
  TrimtabRollbackFailed: [
    {
      what: 'a rollback is denied',
      series: {
        [`trimtab_rollouts{phase="RollbackFailed", ${on('a')}}`]: '0 2x10',
        [`trimtab_rollouts{phase="RollbackFailed", ${on('b')}}`]: '0 2x10',
      },
      at: '5m',
      fires: [{ ...target, value: '2' }],
    },
    {
      what: 'a rollback is denied once and then succeeds',
      series: { [`trimtab_rollouts{phase="RollbackFailed", ${on('a')}}`]: '0 1 0x10' },
      at: '5m',
      fires: [],
    },
  ],
  TrimtabStalled: [
    {
      what: 'two replicas report the same rollouts',
      series: Object.fromEntries(
        ['a', 'b'].flatMap((pod) => [
          [`trimtab_rollouts_stalled{reason="Unschedulable", ${on(pod)}}`, '1x30'],
          [`trimtab_rollouts_stalled{reason="KeyMissing", ${on(pod)}}`, '2x30'],
        ]),
      ),
      at: '20m',
      fires: [{ ...target, value: '3' }],
    },
    {
      what: 'a node comes back within minutes, and a person has paused another rollout',
      series: {
        [`trimtab_rollouts_stalled{reason="Unschedulable", ${on('a')}}`]: '1x10 0x20',
        [`trimtab_rollouts_stalled{reason="Paused", ${on('a')}}`]: '1x30',
      },
      at: '20m',
      fires: [],
    },
  ],
  TrimtabWatchDead: [
    {
      what: 'no bookmark for minutes',
      series: { [`trimtab_watch_seconds_since_activity{watch="Pod", ${on('a')}}`]: '0+60x20' },
      at: '10m',
      fires: [{ ...target, watch: 'Pod' }],
    },
    {
      what: 'the requests of a watch fail',
      series: { [`trimtab_watch_failing_seconds{watch="rollouts", ${on('a')}}`]: '0 0 30+60x20' },
      at: '10m',
      fires: [{ ...target, watch: 'rollouts' }],
    },
    {
      what: 'the first sync never ends',
      series: { [`trimtab_watch_synced{watch="Pod", ${on('a')}}`]: '0x10' },
      at: '5m',
      fires: [{ ...target, watch: 'Pod' }],
    },
    {
      what: 'bookmarks arrive each minute',
      series: {
        [`trimtab_watch_seconds_since_activity{watch="Pod", ${on('a')}}`]: '10 50 20 55 5 60 30',
        [`trimtab_watch_failing_seconds{watch="Pod", ${on('a')}}`]: '0 20 0 0 0 10 0',
        [`trimtab_watch_synced{watch="Pod", ${on('a')}}`]: '0 1x6',
      },
      at: '6m',
      fires: [],
    },
  ],
  TrimtabCertificateExpiring: [
    {
      what: 'the renewal fails for days',
      series: {
        [`trimtab_certificate_not_after_timestamp_seconds{certificate="webhook", ${on('a')}}`]: `${6 * day + 1200}x30`,
      },
      at: '20m',
      fires: [{ ...target, certificate: 'webhook', value: '6d 0h 0m 0s' }],
    },
    {
      what: 'the renewal is due',
      series: {
        [`trimtab_certificate_not_after_timestamp_seconds{certificate="webhook", ${on('a')}}`]: `${10 * day}x30`,
      },
      at: '20m',
      fires: [],
    },
  ],
  TrimtabNoLeader: [
    {
      what: 'all replicas stand by',
      series: {
        [`trimtab_leader{lease="trimtab", ${on('a')}}`]: '1 0x10',
        [`trimtab_leader{lease="trimtab", ${on('b')}}`]: '0x10',
      },
      at: '5m',
      fires: [target],
    },
    { what: 'no controller runs', series: {}, at: '5m', fires: [{}] },
    {
      what: 'the leader changes',
      series: {
        [`trimtab_leader{lease="trimtab", ${on('a')}}`]: '1 1 0x10',
        [`trimtab_leader{lease="trimtab", ${on('b')}}`]: '0 0 0 1x10',
      },
      at: '5m',
      fires: [],
    },
  ],
  TrimtabNotificationsFailing: [
    {
      what: 'a receiver is down',
      series: { [`trimtab_notifications_oldest_pending_seconds{target="chat", ${on('a')}}`]: '0+60x20' },
      at: '15m',
      fires: [{ ...target, target: 'chat' }],
    },
    {
      what: 'a receiver rejects a notification',
      series: { [`trimtab_notifications_total{target="chat", result="rejected", ${on('a')}}`]: '0 0 1 1 1' },
      at: '4m',
      fires: [{ ...target, target: 'chat' }],
    },
    {
      what: 'a receiver is down for some minutes',
      series: {
        [`trimtab_notifications_oldest_pending_seconds{target="chat", ${on('a')}}`]: '0 60 120 180 0 0 0 0',
        [`trimtab_notifications_total{target="chat", result="delivered", ${on('a')}}`]: '0 0 0 0 3 3 3 3',
        [`trimtab_notifications_total{target="chat", result="retried", ${on('a')}}`]: '0 4 7 9 9 9 9 9',
      },
      at: '7m',
      fires: [],
    },
  ],
};
