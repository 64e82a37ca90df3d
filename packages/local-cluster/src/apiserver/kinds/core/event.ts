import { type FieldError, invalid } from '../../errors/field-error.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import type { ApiObject } from '../../object.ts';
import { age } from '../../representation/age.ts';
import { nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';

interface ObjectReference {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

interface Event extends ApiObject {
  involvedObject: ObjectReference;
  reason?: string;
  message?: string;
  source: { component?: string; host?: string };
  firstTimestamp: string | null;
  lastTimestamp: string | null;
  eventTime: string | null;
  count?: number;
  type?: string;
  series?: { count?: number; lastObservedTime?: string | null };
  reportingComponent: string;
  reportingInstance: string;
}

export const event = defineKind<Event>({
  group: '',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  storageVersionHash: 'r2yiGXH7wu8=',
  definition: 'io.k8s.api.core.v1.Event',
  createOnUpdate: true,
  strategy: { nameRule: dnsSubdomain, validate },
  columns: [
    { name: 'Last Seen', value: lastSeen },
    { name: 'Type', value: ({ type = '' }) => type },
    { name: 'Reason', value: ({ reason = '' }) => reason },
    { name: 'Object', value: objectText },
    { name: 'Subobject', priority: 1, value: ({ involvedObject }) => involvedObject.fieldPath ?? '' },
    { name: 'Source', priority: 1, value: sourceText },
    { name: 'Message', value: ({ message = '' }) => message.trim() },
    { name: 'First Seen', priority: 1, value: firstSeen },
    {
      name: 'Count',
      priority: 1,
      value: ({ series, count = 0 }) => series?.count ?? (count === 0 ? 1 : count),
    },
    { ...nameColumn, priority: 1 },
  ],
  selectableFields: {
    'involvedObject.kind': ({ involvedObject }) => involvedObject.kind ?? '',
    'involvedObject.namespace': ({ involvedObject }) => involvedObject.namespace ?? '',
    'involvedObject.name': ({ involvedObject }) => involvedObject.name ?? '',
    'involvedObject.uid': ({ involvedObject }) => involvedObject.uid ?? '',
    'involvedObject.apiVersion': ({ involvedObject }) => involvedObject.apiVersion ?? '',
    'involvedObject.resourceVersion': ({ involvedObject }) => involvedObject.resourceVersion ?? '',
    'involvedObject.fieldPath': ({ involvedObject }) => involvedObject.fieldPath ?? '',
    reason: ({ reason = '' }) => reason,
    reportingComponent: ({ reportingComponent }) => reportingComponent,
    source: ({ source, reportingComponent }) => source.component || reportingComponent,
    type: ({ type = '' }) => type,
  },
});

/** An event is in the namespace of its object; events of cluster-scoped objects are in `default`. */
function validate({ metadata, involvedObject }: Event): FieldError[] {
  const { namespace = '' } = involvedObject;
  const isRight =
    namespace === ''
      ? metadata.namespace === 'default' || isSystem(metadata.namespace)
      : namespace === metadata.namespace;
  return isRight ? [] : [invalid('involvedObject.namespace', namespace, 'does not match event.namespace')];
}

function isSystem(namespace: string | undefined): boolean {
  return namespace === 'kube-system';
}

function lastSeen({ series, lastTimestamp, eventTime, firstTimestamp }: Event, now: number): string {
  const first = firstTimestamp ?? eventTime;
  return age(series?.lastObservedTime ?? lastTimestamp ?? first, now);
}

function firstSeen({ firstTimestamp, eventTime }: Event, now: number): string {
  return age(firstTimestamp ?? eventTime, now);
}

function objectText({ involvedObject: { kind = '', name = '' } }: Event): string {
  return name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function sourceText({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source.component || reportingComponent;
  const host = source.host || reportingInstance;
  return host ? `${component}, ${host}` : component;
}
