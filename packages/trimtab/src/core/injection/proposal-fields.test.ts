import { expect, test } from 'vitest';
import { convertProposalFields } from './proposal-fields.ts';

const podSpec = { containers: [{ name: 'nginx' }] };
const controller = (more: object, template: object = { spec: podSpec }) => ({
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name: 'nginx' },
  spec: { ...more, replicas: 2, template },
});

test("the proposal's example", () => {
  expect(convertProposalFields(controller({ ConfigRestarts: false, OverrideConfigPort: 9002 }))).toEqual({
    object: controller(
      {},
      {
        metadata: { annotations: { 'trimtab.dev/restart': 'false', 'trimtab.dev/config-port': '9002' } },
        spec: podSpec,
      },
    ),
  });
});

test('the fields of a Pod, a pod template and a CronJob', () => {
  const annotated = (value: string) => ({ metadata: { annotations: { 'trimtab.dev/restart': value } } });
  expect(convertProposalFields({ kind: 'Pod', spec: { ...podSpec, ConfigRestarts: true } })).toEqual({
    object: { kind: 'Pod', ...annotated('true'), spec: podSpec },
  });
  expect(convertProposalFields(controller({}, { spec: { ...podSpec, ConfigRestarts: false } }))).toEqual({
    object: controller({}, { ...annotated('false'), spec: podSpec }),
  });
  const cronJob = (more: object, template: object) => ({
    kind: 'CronJob',
    spec: { ...more, jobTemplate: { spec: { template } } },
  });
  expect(convertProposalFields(cronJob({ ConfigRestarts: false }, { spec: podSpec }))).toEqual({
    object: cronJob({}, { ...annotated('false'), spec: podSpec }),
  });
});

test('an object without the fields, or without a pod template, is passed through', () => {
  expect(convertProposalFields(controller({}))).toBeUndefined();
  expect(convertProposalFields({ kind: 'ConfigMap' })).toBeUndefined();
  expect(convertProposalFields({ kind: 'Widget', spec: { ConfigRestarts: false } })).toBeUndefined();
  expect(
    convertProposalFields({ kind: 'Widget', spec: { template: 'x', ConfigRestarts: false } }),
  ).toBeUndefined();
});

test('wrong types are problems', () => {
  expect(convertProposalFields(controller({ ConfigRestarts: 'no', OverrideConfigPort: '9002' }))).toEqual({
    problems: [
      'Field spec.ConfigRestarts has the value "no", which is not valid: must be true or false',
      'Field spec.OverrideConfigPort has the value "9002", which is not valid: must be a port from 1 to 65535, such as 9002',
    ],
  });
  for (const port of [0, 65_536, 1.5, null])
    expect(convertProposalFields(controller({ OverrideConfigPort: port }))).toHaveProperty('problems');
});

test('an annotation with another value is a problem', () => {
  const template = { metadata: { annotations: { 'trimtab.dev/restart': 'true' } }, spec: podSpec };
  expect(convertProposalFields(controller({ ConfigRestarts: false }, template))).toEqual({
    problems: [expect.stringContaining('remove one of them')],
  });
  expect(convertProposalFields(controller({ ConfigRestarts: true }, template))).toEqual({
    object: controller({}, template),
  });
});

test('the input is not modified', () => {
  const input = controller({ ConfigRestarts: false });
  const before = structuredClone(input);
  convertProposalFields(input);
  expect(input).toEqual(before);
});

test.each(['x'.repeat(2_900_000), { toString: 1 }, [{ toString: null }]])(
  'an annotation and a value that no message can show are problems in short',
  (odd) => {
    const annotations = { 'trimtab.dev/restart': odd, 'trimtab.dev/config-port': odd };
    const given = { ConfigRestarts: true, OverrideConfigPort: odd };
    const converted = convertProposalFields(controller(given, { metadata: { annotations }, spec: podSpec }));
    const problems = converted !== undefined && 'problems' in converted ? converted.problems : [];
    expect(problems).toHaveLength(2);
    expect(problems.join().length).toBeLessThan(700);
  },
);
