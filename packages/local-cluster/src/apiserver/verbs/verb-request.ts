import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';
import { timestamp } from '../../objects/timestamp.ts';
import type { AdmissionChain, Attributes, UserInfo } from '../admission/admission.ts';
import { admissionOptions } from '../admission/options.ts';
import type { Access } from '../identity/access.ts';
import type { AddressAllocator, Kind, StrategyContext } from '../kinds/kind.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import type { Writer } from '../managed-fields/writer.ts';
import type { Kubelets } from '../node-proxy/kubelet.ts';
import type { ApiObject } from '../object.ts';
import type { RenderOptions } from '../representation/render.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';
import type { WatchMemory } from './watch-memory.ts';

/** Services of the server that all verbs share. */
export interface Services {
  registry: KindRegistry;
  storage: ObjectStorage;
  admission: AdmissionChain;
  addresses: AddressAllocator;
  clock: Clock;
  access: Access;
  /** For logs of pods and commands in their containers. */
  kubelets: Kubelets;
  /** Functions that end the open watches, for the shutdown of the server. */
  watches: Set<() => void>;
  watchMemory: WatchMemory;
}

/** An authenticated and authorised request about a kind. */
export interface VerbRequest {
  services: Services;
  info: RequestInfo;
  kind: Kind;
  query: URLSearchParams;
  user: UserInfo;
  render: RenderOptions;
  incoming: IncomingMessage;
  response: ServerResponse;
  /** Messages for Warning headers. */
  warnings: string[];
  /** Object that admission sees instead, for a subresource of another kind. */
  shownAs?: ShownAs;
  /** Annotations of the audit event. */
  annotations: Record<string, string>;
}

interface ShownAs {
  subresource: string;
  /** Set when admission sees another operation than that of the write. */
  operation?: Attributes['operation'];
  kind: { group: string; version: string; kind: string };
  convert(object: ApiObject): ApiObject;
}

/** The response to send, with a long body in pieces; `answered` when the verb has sent the response itself. */
export type Answer = { code: number; body: string | readonly string[] } | 'answered';

export function contextOf({ services, warnings }: VerbRequest, dryRun: boolean): StrategyContext {
  return {
    now: services.clock.now(),
    dryRun,
    addresses: services.addresses,
    warn(message) {
      if (!warnings.includes(message)) warnings.push(message);
    },
  };
}

export function attributesOf(
  request: VerbRequest,
  given: Pick<Attributes, 'operation' | 'object' | 'old' | 'dryRun' | 'name'> & { options?: object },
): Attributes {
  const { shownAs, info } = request;
  const convert = (object: ApiObject | undefined) =>
    object === undefined ? undefined : shownAs?.convert(object);
  return {
    ...given,
    ...(shownAs !== undefined && {
      as: shownAs.kind,
      object: convert(given.object),
      ...(shownAs.operation === undefined
        ? { old: convert(given.old) }
        : { operation: shownAs.operation, old: undefined }),
    }),
    options: admissionOptions(shownAs?.operation ?? given.operation, request.query, given.options),
    kind: request.kind,
    subresource: shownAs?.subresource ?? info.subresource,
    namespace: info.namespace,
    user: request.user,
    annotate(key, value) {
      request.annotations[key] = value;
    },
    warn: (message) => void request.warnings.push(message),
  };
}

/** Returns the field manager of a write: the given name, or the program in the user agent. */
export function writerOf(
  { kind, info, shownAs, incoming, services }: VerbRequest,
  { fieldManager }: { fieldManager: string },
): Writer {
  const subresource = shownAs?.subresource ?? info.subresource;
  return {
    kind,
    subresource,
    manager: fieldManager || programOf(incoming.headers['user-agent'] ?? ''),
    // Kubernetes records no time for writes of a Scale.
    time: subresource === 'scale' ? undefined : timestamp(services.clock.now()),
  };
}

/** `kubectl/v1.36.3 (linux/amd64)` → `kubectl` */
function programOf(userAgent: string): string {
  const [name = ''] = userAgent.split('/');
  return name.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '').slice(0, 128);
}
