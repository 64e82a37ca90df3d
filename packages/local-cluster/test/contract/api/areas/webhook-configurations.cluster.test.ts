import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { invalid, type Refusal, refuses } from '../statuses.ts';
import { admission, configuration, pathOf } from '../webhook-objects.ts';

const badConfigurations: [why: string, more: object, expected: Refusal][] = [
  [
    'no side effects told',
    { sideEffects: undefined },
    invalid(
      'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
    ),
  ],
  [
    'no versions of reviews',
    { admissionReviewVersions: [] },
    invalid(
      'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
    ),
  ],
  [
    'an address that is not https',
    { clientConfig: { url: 'http://127.0.0.1/' } },
    invalid(
      'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
    ),
  ],
  [
    'neither address nor service',
    { clientConfig: {} },
    invalid(
      'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
    ),
  ],
  [
    'a name that is not qualified',
    { name: 'short' },
    invalid(
      'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots',
    ),
  ],
  [
    'a timeout of a minute',
    { timeoutSeconds: 60 },
    invalid(
      'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'webhooks[0].timeoutSeconds: Invalid value: 60: the timeout value must be between 1 and 30 seconds',
    ),
  ],
  [
    'a condition that cannot be compiled',
    { matchConditions: [{ name: 'a', expression: 'object.' }] },
    invalid(
      'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'webhooks[0].matchConditions[0].expression: Invalid value: "object.": compilation failed: …',
    ),
  ],
  [
    'an operation that is none',
    { rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['LOOK'], resources: ['pods'] }] },
    invalid(
      'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
      'NAMESPACE-bad',
      'webhooks[0].rules[0].operations[0]: Unsupported value: "LOOK": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    ),
  ],
];

contract('webhook configurations', (it) => {
  for (const [why, more, expected] of badConfigurations)
    it(
      `a webhook with ${why} is refused`,
      refuses(async (target) => {
        const answer = await target.api.post(
          pathOf('Validating'),
          configuration(
            target,
            'bad',
            { type: 'Validating', verdict: () => ({}), more },
            'https://127.0.0.1',
            '',
          ),
        );
        // Messages of the compiler and their layout differ between the engines.
        return {
          ...answer,
          text: answer.text.replaceAll(/compilation failed: (?:[^"\\]|\\.)*/g, 'compilation failed: …'),
        };
      }, expected),
    );

  it('a configuration gets its defaults', async (target) => {
    const {
      timeoutSeconds: _t,
      failurePolicy: _f,
      objectSelector: _o,
      ...least
    } = configuration(
      target,
      'defaults',
      { type: 'Validating', verdict: () => ({}) },
      'https://127.0.0.1',
      '',
    ).webhooks[0] ?? {};
    const object = {
      apiVersion: admission,
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: `${target.namespace}-defaults` },
      webhooks: [least],
    };
    const { body } = await target.api.post(pathOf('Validating'), object, { query: { dryRun: 'All' } });
    const [webhook] = body['webhooks'] as object[];
    expect(webhook).toMatchObject({
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      objectSelector: {},
      timeoutSeconds: 10,
    });
  });
});
