import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { pod } from '../objects.ts';
import { invalid, refuses } from '../statuses.ts';
import { dnsLabel, dnsSubdomain } from '../texts.ts';

const container = (more: object = {}) => ({ name: 'app', image: 'app:1', ...more });
const emptyDir = { name: 'v', emptyDir: {} };
const file = { volumeName: 'v', path: 'made.env', key: 'NAME' };

const variable = (valueFrom: object, more: object = {}) => ({
  containers: [container({ env: [{ name: 'X', valueFrom }] })],
  volumes: [emptyDir],
  ...more,
});
const fromFile = (change: object, more: object = {}) =>
  variable({ fileKeyRef: { ...file, ...change } }, more);
const mount = (change: object) => ({
  containers: [container({ volumeMounts: [{ name: 'v', mountPath: '/v', ...change }] })],
  volumes: [emptyDir],
});
const init = (change: object) => ({ initContainers: [{ name: 'init', image: 'init:1', ...change }] });

const source = 'spec.containers[0].env[0].valueFrom';
const ofFile = `${source}.fileKeyRef`;
const mounts = 'spec.containers[0].volumeMounts';
const exec = { exec: { command: ['true'] } };
const notForInit = 'Forbidden: may not be set for init containers without restartPolicy=Always';

const refusals: [why: string, spec: object, ...causes: string[]][] = [
  [
    'a variable from a file of a volume that does not exist',
    fromFile({ volumeName: 'other' }),
    `${ofFile}.volumeName: Not found: "other"`,
  ],
  [
    'a variable from a file of a ConfigMap',
    fromFile({}, { volumes: [{ name: 'v', configMap: { name: 'c' } }] }),
    `${ofFile}.volumeName: Invalid value: "v": referenced volume must be of type emptyDir`,
  ],
  [
    'a variable from a file outside of the volume',
    fromFile({ path: 'a/../../b' }),
    `${ofFile}.path: Invalid value: "a/../../b": must not contain '..'`,
  ],
  [
    'a variable from a file without key, volume and path',
    variable({ fileKeyRef: {} }),
    `${ofFile}.key: Required value`,
    `${ofFile}.volumeName: Required value`,
    `${ofFile}.path: Required value`,
    `${ofFile}.volumeName: Not found: ""`,
  ],
  [
    'a variable from a file with an invalid key and volume',
    fromFile({ key: 'a=b', volumeName: 'V' }),
    `${ofFile}.key: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    `${ofFile}.volumeName: Invalid value: "V": ${dnsLabel}`,
    `${ofFile}.volumeName: Not found: "V"`,
  ],
  [
    'a variable from nowhere',
    variable({}),
    `${source}: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`, \`secretKeyRef\` or \`fileKeyRef\``,
  ],
  [
    'a variable from two sources',
    variable({ fileKeyRef: file, secretKeyRef: { name: 's', key: 'k' } }),
    `${source}: Invalid value: "": may not have more than one field specified at a time`,
  ],
  [
    'a variable from a ConfigMap without name and key',
    variable({ configMapKeyRef: {} }),
    `${source}.configMapKeyRef.name: Invalid value: "": ${dnsSubdomain}`,
    `${source}.configMapKeyRef.key: Required value`,
  ],
  [
    'a variable from an invalid key of a Secret',
    variable({ secretKeyRef: { name: 's', key: 'a b' } }),
    `${source}.secretKeyRef.key: Invalid value: "a b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
  ],
  [
    'an absolute subPath',
    mount({ subPath: '/etc' }),
    `${mounts}.subPath: Invalid value: "/etc": must be a relative path`,
  ],
  [
    'a subPath that leaves the volume',
    mount({ subPath: '../etc' }),
    `${mounts}.subPath: Invalid value: "../etc": must not contain '..'`,
  ],
  [
    'a subPath and a subPathExpr',
    mount({ subPath: 'a', subPathExpr: '$(X)' }),
    `${mounts}[0].subPathExpr: Invalid value: "$(X)": subPathExpr and subPath are mutually exclusive`,
  ],
  [
    'an init container with probes and hooks',
    init({ lifecycle: { preStop: exec }, livenessProbe: exec, readinessProbe: exec, startupProbe: exec }),
    `spec.initContainers[0].lifecycle: ${notForInit}`,
    `spec.initContainers[0].livenessProbe: ${notForInit}`,
    `spec.initContainers[0].readinessProbe: ${notForInit}`,
    `spec.initContainers[0].startupProbe: ${notForInit}`,
  ],
  [
    'an init container with an unknown restart policy',
    init({ restartPolicy: 'Sometimes' }),
    'spec.initContainers[0].restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "Never", "OnFailure"',
  ],
  [
    'a sidecar with a probe without a handler',
    init({ restartPolicy: 'Always', startupProbe: {} }),
    'spec.initContainers[0].startupProbe: Required value: must specify a handler type',
  ],
];

contract('rules of variables, mounts and init containers', (it) => {
  for (const [why, spec, ...causes] of refusals)
    it(
      `a pod with ${why} is refused`,
      refuses(({ api, core }) => api.post(core('pods'), pod('bad', spec)), invalid('Pod', 'bad', ...causes)),
    );

  it('a sidecar may have probes and hooks, and variables from a file', async ({ api, core }) => {
    const sidecar = {
      restartPolicy: 'Always',
      lifecycle: { preStop: exec },
      startupProbe: exec,
      env: [{ name: 'X', valueFrom: { fileKeyRef: file } }],
    };
    const object = pod('sidecar', { ...init(sidecar), volumes: [emptyDir] });
    const { code, text } = await api.post(core('pods'), object, { query: { dryRun: 'All' } });
    expect(code, text).toBe(201);
  });
});
