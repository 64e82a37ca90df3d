import { dnsSubdomain } from '../../meta/names.ts';
import type { ApiObject } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';

interface Node extends ApiObject {
  spec: { unschedulable?: boolean; taints?: { key: string; effect: string }[] };
  status: {
    conditions?: { type: string; status: string }[];
    addresses?: { type: string; address: string }[];
    nodeInfo?: Record<string, string>;
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
  };
}

export const node = defineKind<Node>({
  group: '',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
  shortNames: ['no'],
  storageVersionHash: 'XwShjMxG9Fs=',
  storage: 'minions',
  definition: 'io.k8s.api.core.v1.Node',
  hasStatus: true,
  strategy: {
    nameRule: dnsSubdomain,
    defaults({ status }) {
      if (status.allocatable === undefined && status.capacity !== undefined)
        status.allocatable = { ...status.capacity };
    },
    prepareForCreate(object) {
      // No pod is scheduled to a node before it reports that it is ready.
      const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
      const taints = object.spec.taints ?? [];
      if (!taints.some(({ key, effect }) => key === taint.key && effect === taint.effect)) taints.push(taint);
      object.spec.taints = taints;
    },
  },
  columns: [
    nameColumn,
    { name: 'Status', value: statusText },
    { name: 'Roles', value: rolesText },
    ageColumn,
    { name: 'Version', value: ({ status }) => status.nodeInfo?.['kubeletVersion'] ?? '' },
    { name: 'Internal-IP', priority: 1, value: (object) => addressText(object, 'InternalIP') },
    { name: 'External-IP', priority: 1, value: (object) => addressText(object, 'ExternalIP') },
    { name: 'OS-Image', priority: 1, value: (object) => infoText(object, 'osImage') },
    { name: 'Kernel-Version', priority: 1, value: kernelText },
    {
      name: 'Container-Runtime',
      priority: 1,
      value: (object) => infoText(object, 'containerRuntimeVersion'),
    },
  ],
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
});

function statusText({ spec, status }: Node): string {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const words = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'];
  if (spec.unschedulable) words.push('SchedulingDisabled');
  return words.join(',');
}

const rolePrefix = 'node-role.kubernetes.io/';

function rolesText({ metadata: { labels = {} } }: Node): string {
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) return [key.slice(rolePrefix.length)];
    return key === 'kubernetes.io/role' && value !== '' ? [value] : [];
  });
  return roles.length === 0 ? '<none>' : roles.sort().join(',');
}

function addressText({ status }: Node, wanted: string): string {
  return status.addresses?.find(({ type }) => type === wanted)?.address ?? '<none>';
}

function infoText({ status }: Node, key: string): string {
  return status.nodeInfo?.[key] || '<unknown>';
}

function kernelText(object: Node): string {
  const kernel = infoText(object, 'kernelVersion');
  const architecture = object.status.nodeInfo?.['architecture'];
  return kernel !== '<unknown>' && architecture ? `${kernel} (${architecture})` : kernel;
}
