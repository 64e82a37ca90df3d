import { describe, expect, test } from 'vitest';
import type { ResourceRequirements } from '../../api/pod-template.ts';
import { agentResources } from './agent-resources.ts';
import { parseQuantity } from './quantity.ts';

const of = (...all: ResourceRequirements[]) =>
  agentResources({ containers: all.map((resources, index) => ({ name: `c${index}`, resources })) });
const small = { requests: { cpu: '5m', memory: '64Mi' }, limits: { memory: '128Mi' } };
const equal = {
  requests: { cpu: '100m', memory: '128Mi' },
  limits: { cpu: '100m', memory: '128Mi' },
};

test('usually small requests and a memory limit', () => {
  expect(of({})).toEqual(small);
  expect(of({ limits: { cpu: 1, memory: '1Gi' } }, {})).toEqual(small);
  expect(agentResources({})).toEqual(small);
});

test('a pod of class Guaranteed keeps its class', () => {
  expect(of({ limits: { cpu: 1, memory: '1Gi' } })).toEqual(equal);
  const requests = { cpu: '1000m', memory: '1024Mi' };
  expect(of({ limits: { cpu: '1', memory: '1Gi' }, requests })).toEqual(equal);
});

test('an init container counts for the class', () => {
  const resources = { limits: { cpu: 1, memory: '1Gi' } };
  const containers = [{ name: 'app', resources }];
  expect(agentResources({ containers, initContainers: [{ name: 'init' }] })).toEqual(small);
  expect(agentResources({ containers, initContainers: [{ name: 'init', resources }] })).toEqual(equal);
});

test('when all containers limit cpu, the agent does, too', () => {
  expect(of({ limits: { cpu: 1, memory: '1Gi' }, requests: { memory: '1Mi' } })).toEqual({
    ...small,
    limits: { cpu: '100m', memory: '128Mi' },
  });
  expect(of({ limits: { cpu: 0, memory: '1Gi' } })).toEqual(small);
});

test('a pod with resources as a whole has enough', () => {
  expect(agentResources({ containers: [], resources: { limits: { cpu: 1 } } })).toBeUndefined();
});

describe('quantities', () => {
  test.each([
    ['100m', 0.1],
    ['570m', 0.57],
    ['1', 1],
    [2, 2],
    ['.5', 0.5],
    ['1e3', 1000],
    ['64Mi', 67_108_864],
    ['1k', 1000],
    ['1E', 1e18],
    ['5n', 5e-9],
    ['', undefined],
    ['x', undefined],
    ['1x', undefined],
    ['1constructor', undefined],
    [undefined, undefined],
  ])('%s', (text, value) => {
    expect(parseQuantity(text)).toBe(value);
  });

  test('of any length are read in linear time', () => {
    // An expression that tries each division of the digits would take an hour.
    const digits = '1'.repeat(1_000_000);
    for (const text of [`${digits}!`, `${digits}.${digits}!`, `1e${digits}!`])
      expect(parseQuantity(text)).toBeUndefined();
    expect(parseQuantity(`0.${digits}`)).toBeCloseTo(1 / 9);
  });
});
