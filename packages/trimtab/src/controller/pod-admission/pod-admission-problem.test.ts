import type { KubeObject } from '@trimtab/kube/wire.ts';
import { describe, expect, test } from 'vitest';
import { installation, type ManifestOptions } from '../manifests/installation.ts';
import { guardPods, podPolicies } from '../manifests/pod-policies.ts';
import { webhookConfiguration } from '../manifests/webhook-configuration.ts';
import { type FoundPodAdmission, podAdmissionProblem } from './pod-admission-problem.ts';

type Shape = { spec: Record<string, unknown>; webhooks: Record<string, unknown>[] };

/** What an API server has after `trimtab manifests` was applied. */
function installed(options: ManifestOptions = {}): FoundPodAdmission {
  const all = [
    ...guardPods(installation(options)),
    ...podPolicies(installation(options)),
    ...webhookConfiguration({ ...options, webhookUrl: 'https://127.0.0.1:9443' }),
  ];
  const { prefix, webhookConfiguration: configuration } = installation(options);
  const found = <T>(kind: string, name: string): T =>
    structuredClone(all.find((each) => each.kind === kind && each.metadata.name === name)) as T;
  const pods = `${prefix}-pod-references`;
  return {
    guard: found('ValidatingAdmissionPolicy', pods),
    guardBinding: found('ValidatingAdmissionPolicyBinding', pods),
    policy: found('MutatingAdmissionPolicy', pods),
    policyBinding: found('MutatingAdmissionPolicyBinding', pods),
    webhooks: found('MutatingWebhookConfiguration', configuration),
  };
}

/** What is found when the controller runs without --mutating-policies. */
function withoutPolicy(): FoundPodAdmission {
  const { policy: _, policyBinding: __, ...found } = installed();
  return found;
}

/** Returns what is installed, with one object changed. */
function changed(part: keyof FoundPodAdmission, change: (object: Shape) => void): FoundPodAdmission {
  const found = installed();
  change(found[part] as KubeObject & Shape);
  return found;
}

const problem = (found: FoundPodAdmission, namespace = 'shop', own?: string) =>
  podAdmissionProblem(found, installation(own === undefined ? {} : { namespaces: [own] }), namespace);

describe('admission writes versions into pods', () => {
  test('with the manifests, by the policy or by the webhook', () => {
    expect(problem(installed())).toBeUndefined();
    expect(problem({ ...installed(), policy: 'missing', policyBinding: 'missing' })).toBeUndefined();
    expect(problem({ ...installed(), webhooks: 'missing' })).toBeUndefined();
    expect(problem(withoutPolicy())).toBeUndefined();
  });

  test('in the namespaces that are selected', () => {
    const team = installed({ namespaces: ['team'] });
    expect(problem(team, 'team', 'team')).toBeUndefined();
    expect(problem(team, 'shop', 'team')).toBe(
      'ValidatingAdmissionPolicy trimtab-team-pod-references does not select namespace shop',
    );
    expect(problem(withoutPolicy(), 'kube-system')).toContain(
      'webhook pod-references.trimtab.dev of MutatingWebhookConfiguration trimtab-workloads does not select namespace kube-system',
    );
    const narrowed = changed('guardBinding', ({ spec }) => {
      const values = ['shop'];
      const matchExpressions = [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values }];
      spec['matchResources'] = { namespaceSelector: { matchExpressions } };
    });
    expect(problem(narrowed)).toContain('does not select namespace shop');
    expect(problem(narrowed, 'other')).toBeUndefined();
  });
});

describe('admission does not write versions into pods', () => {
  test.each<[string, FoundPodAdmission, string]>([
    [
      'without the guard',
      { ...installed(), guard: 'missing' },
      'ValidatingAdmissionPolicy trimtab-pod-references does not exist',
    ],
    [
      'without the binding of the guard',
      { ...installed(), guardBinding: 'missing' },
      'ValidatingAdmissionPolicyBinding trimtab-pod-references does not exist',
    ],
    [
      'when the guard may not be read',
      { ...installed(), guard: 'forbidden' },
      'the controller may not read ValidatingAdmissionPolicy trimtab-pod-references',
    ],
    [
      'when the guard only warns',
      changed('guardBinding', ({ spec }) => {
        spec['validationActions'] = ['Warn', 'Audit'];
      }),
      'ValidatingAdmissionPolicyBinding trimtab-pod-references does not deny',
    ],
    [
      'when the guard admits what it cannot evaluate',
      changed('guard', ({ spec }) => {
        spec['failurePolicy'] = 'Ignore';
      }),
      'ValidatingAdmissionPolicy trimtab-pod-references has failurePolicy Ignore',
    ],
    [
      'when the guard selects only some pods',
      changed('guard', ({ spec }) => {
        const constraints = spec['matchConstraints'] as Record<string, unknown>;
        constraints['objectSelector'] = { matchLabels: { app: 'web' } };
      }),
      'ValidatingAdmissionPolicy trimtab-pod-references does not select all pods',
    ],
    [
      'when the guard selects namespaces by labels that the controller does not read',
      changed('guard', ({ spec }) => {
        const constraints = spec['matchConstraints'] as Record<string, unknown>;
        constraints['namespaceSelector'] = { matchLabels: { team: 'web' } };
      }),
      'ValidatingAdmissionPolicy trimtab-pod-references does not select namespace shop',
    ],
    [
      'when the guard is not about the creation of pods',
      changed('guard', ({ spec }) => {
        (spec['matchConstraints'] as { resourceRules: object[] }).resourceRules = [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['pods'] },
        ];
      }),
      'ValidatingAdmissionPolicy trimtab-pod-references does not match the creation of pods',
    ],
    [
      'with neither the policy nor the webhook',
      { ...installed(), policyBinding: 'missing', webhooks: 'missing' },
      'MutatingAdmissionPolicyBinding trimtab-pod-references does not exist; MutatingWebhookConfiguration trimtab-workloads does not exist',
    ],
    [
      'when the configuration lacks the webhook',
      {
        ...changed('webhooks', ({ webhooks }) => {
          webhooks.splice(2);
        }),
        policy: 'missing',
      },
      'MutatingWebhookConfiguration trimtab-workloads has no webhook pod-references.trimtab.dev',
    ],
  ])('%s', (_, found, expected) => {
    expect(problem(found)).toContain(expected);
  });
});
