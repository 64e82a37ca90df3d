import { expect, test } from 'vitest';
import { readInjectedSettings } from './injected-settings.ts';

const pod = JSON.stringify({
  ...{ configs: [], volumes: [], port: 9001, reload: [], verify: [], later: 1 },
});
const gateway = 'https://trimtab-gateway.trimtab-system.svc';
const problems = (flags: object, command: string[] = [], given: string[] = ['pod', 'gateway']) =>
  readInjectedSettings({ pod, gateway, ...flags }, command, new Set(given)).problems;

test('the work of an injected agent is read, with fields of a newer injector', () => {
  const { settings } = readInjectedSettings({ pod, gateway, gatewayCa: 'PEM' }, [], new Set(['pod']));
  expect(settings).toMatchObject({ gateway, gatewayCa: 'PEM', pod: { port: 9001, reload: [] } });
  expect(problems({})).toEqual([]);
});

test('lists that an older injector has left out are empty', () => {
  const { settings, problems: found } = readInjectedSettings({ pod: '{}', gateway }, [], new Set());
  expect(found).toEqual([]);
  expect(settings.pod).toEqual({ configs: [], volumes: [], port: 0, reload: [], verify: [] });
});

test('flags of other agents are refused, and a command, too', () => {
  expect(problems({}, ['nginx'], ['pod', 'gateway', 'configmap', 'reloadExec'])).toEqual([
    '--configmap, --reload-exec cannot be combined with --pod, which describes the work of the agent',
    'a command after -- cannot be combined with --pod',
  ]);
});

test.each([
  [{ gateway: undefined }, '--gateway must be the URL of the gateway'],
  [{ gateway: 'gateway:443' }, '--gateway must be the URL of the gateway'],
  [{ pod: '{' }, '--pod must be a JSON object'],
  [{ pod: '{"configs": 3}' }, '--pod must have the lists configs'],
  [
    { pod: '{"volumes": [{"name": "main", "sources": [{"config": 0}]}]}' },
    '--pod: volume main names a config that is not listed',
  ],
])('%j is refused', (flags, message) => {
  expect(problems(flags)).toEqual([expect.stringContaining(message)]);
});
