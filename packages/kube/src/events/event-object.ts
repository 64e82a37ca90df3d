import { apiVersion, events } from '../resource.ts';
import type { KubeObject } from '../wire.ts';

export type EventType = 'Normal' | 'Warning';

/** What an event is about. With a `uid`, `kubectl describe` shows it for this object and not for a namesake. */
export interface ObjectReference {
  apiVersion: string;
  kind: string;
  /** Left out for cluster-scoped objects. */
  namespace?: string;
  name: string;
  uid?: string;
  resourceVersion?: string;
  /** A part of the object, as `spec.containers{app}`. */
  fieldPath?: string;
}

export interface Occurrence {
  about: ObjectReference;
  type: EventType;
  reason: string;
  message: string;
}

/** Who reports: the program, and which of its processes. */
export interface EventSource {
  component: string;
  instance: string;
}

interface CoreEvent extends KubeObject {
  involvedObject: ObjectReference;
  type: EventType;
  reason: string;
  message: string;
  count: number;
  firstTimestamp: string;
  lastTimestamp: string;
  source: { component: string };
  reportingComponent: string;
  reportingInstance: string;
}

/** What the server should show about one event: an occurrence and how often it came. */
export interface Tally extends Occurrence {
  name: string;
  count: number;
  firstMs: number;
  lastMs: number;
}

const maxMessageBytes = 1024;
const maxNameLength = 253;

/** Without `eventTime`: with one, the API would ask for the fields of the newer, series-based form. */
export function eventObject(tally: Tally, source: EventSource): CoreEvent {
  return {
    apiVersion: apiVersion(events),
    kind: events.kind,
    metadata: { name: tally.name, namespace: eventNamespace(tally.about) },
    involvedObject: tally.about,
    type: tally.type,
    reason: tally.reason,
    ...countedFields(tally),
    firstTimestamp: timestamp(tally.firstMs),
    source: { component: source.component },
    reportingComponent: source.component,
    reportingInstance: source.instance,
  };
}

/** What changes when the event comes again. Absolute values, so that writing it twice does no harm. */
export function countedFields(tally: Tally): { message: string; count: number; lastTimestamp: string } {
  return {
    message: cutToBytes(tally.message, maxMessageBytes),
    count: tally.count,
    lastTimestamp: timestamp(tally.lastMs),
  };
}

/** The API wants an event beside its object, and events of cluster-scoped objects in `default`. */
export function eventNamespace(about: ObjectReference): string {
  return about.namespace || 'default';
}

/** `unique` is what makes it so. Some kinds (ClusterRoles) allow names that an Event cannot start with. */
export function eventName(about: ObjectReference, unique: string): string {
  const start = about.name.slice(0, maxNameLength - unique.length - 1).replace(/[^a-z0-9]+$/, '');
  return /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(start)
    ? `${start}.${unique}`
    : unique;
}

/** Cut text ends with an ellipsis and never in the middle of a character. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return bytes.toString();
  const ellipsis = '…';
  let end = maxBytes - Buffer.byteLength(ellipsis);
  // 10xxxxxx is the inside of a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end) + ellipsis;
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
