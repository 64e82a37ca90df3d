import { apiVersion, events } from '../resource.ts';
import type { KubeObject } from '../wire.ts';

export type EventType = 'Normal' | 'Warning';

/** The object of an event. With a `uid`, `kubectl describe` does not show the event for a namesake. */
export interface ObjectReference {
  apiVersion: string;
  kind: string;
  /** Omitted for cluster-scoped objects. */
  namespace?: string;
  name: string;
  uid?: string;
  resourceVersion?: string;
  /** A part of the object, such as `spec.containers{app}`. */
  fieldPath?: string;
}

export interface Occurrence {
  about: ObjectReference;
  type: EventType;
  reason: string;
  message: string;
}

/** The reporter of an event: the program and its instance. */
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

/** The desired state of one Event on the server: an occurrence and its count. */
export interface EventTally extends Occurrence {
  name: string;
  count: number;
  firstMs: number;
  lastMs: number;
}

const maxMessageBytes = 1024;
const maxNameLength = 253;

/** Omits `eventTime`: with it, the API server requires the fields of the newer events.k8s.io API. */
export function eventObject(tally: EventTally, source: EventSource): CoreEvent {
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

/** The fields that change when an event repeats. Values are absolute, so writing them twice is harmless. */
export function countedFields(tally: EventTally): { message: string; count: number; lastTimestamp: string } {
  return {
    message: cutToBytes(tally.message, maxMessageBytes),
    count: tally.count,
    lastTimestamp: timestamp(tally.lastMs),
  };
}

/** The API server requires an event in the namespace of its object, and in `default` for cluster-scoped objects. */
export function eventNamespace(about: ObjectReference): string {
  return about.namespace || 'default';
}

/**
 * Returns a name that starts with the object's name and ends with `unique`. Some kinds (ClusterRoles) allow names
 * that are not valid for an Event; the name is then only `unique`.
 */
export function eventName(about: ObjectReference, unique: string): string {
  const start = about.name.slice(0, maxNameLength - unique.length - 1).replace(/[^a-z0-9]+$/, '');
  return /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(start)
    ? `${start}.${unique}`
    : unique;
}

/** Truncates text at a character boundary and appends an ellipsis. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return bytes.toString();
  const ellipsis = '…';
  let end = maxBytes - Buffer.byteLength(ellipsis);
  // 10xxxxxx is a continuation byte of a UTF-8 character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end) + ellipsis;
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
