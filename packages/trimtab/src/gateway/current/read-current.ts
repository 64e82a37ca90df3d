import type { ConfigAddress } from '../../core/references/config-address.ts';
import { noConfig } from '../../versions/not-found.ts';
import { Refusal } from '../../versions/refusal.ts';
import { onClose } from '../answer/on-close.ts';
import type { PodSource } from '../pods/pod-configs.ts';
import type { GatewayRequest } from '../request/gateway-request.ts';
import type { VersionSource } from '../streams/version-source.ts';
import { streamHeaders, VersionStream } from '../streams/version-stream.ts';
import { PersonCurrent } from './person-current.ts';
import { type WatchQuery, watchQuery } from './query.ts';
import type { CurrentServices } from './services.ts';
import { writeCurrent } from './write-current.ts';

/** Default duration of a watch: 30 to 60 minutes, as in the API server, spread so that watches do not end at once. */
const defaultLifeSeconds = { least: 1_800, spread: 1_800 };

/** `GET …/current`: the version that applies to the caller, once or as a watch. */
export async function readCurrent(
  services: CurrentServices,
  request: GatewayRequest,
  address: ConfigAddress,
): Promise<'answered'> {
  const { caller, query, signal, incoming, response } = request;
  const watch = watchQuery(query);
  const source =
    caller.is === 'pod'
      ? await services.pods.source(caller, address, signal)
      : new PersonCurrent(caller.client, address, services.watches);
  const isHead = incoming.method === 'HEAD';
  if (watch !== undefined && !isHead) return stream(services, request, address, source, watch);
  const appliedVersion = await source.now(signal);
  if (appliedVersion === undefined) throw noConfig(address);
  if (watch === undefined) await writeCurrent(response, appliedVersion, request);
  else response.writeHead(200, streamHeaders).end();
  return 'answered';
}

async function stream(
  services: CurrentServices,
  { caller, signal, response, unsent, failed }: GatewayRequest,
  address: ConfigAddress,
  source: VersionSource & Pick<PodSource, 'workload'>,
  { bookmarks, from, timeoutSeconds }: WatchQuery,
): Promise<'answered'> {
  const { hub, watches, clock, maxBufferBytes } = services;
  const { kind, namespace } = address;
  const { workload } = source;
  const { least, spread } = defaultLifeSeconds;
  // Returns a 403 of the caller at once. In `trimtab proxy` the gateway's own watch would fail for the same reason.
  if (caller.is === 'person') await source.now(signal);
  // The watch starts before the read below, so no change after that read is missed.
  await watches.rollouts(namespace, signal);
  const version = new VersionStream({
    response,
    unsent,
    source,
    kind,
    bookmarks,
    clock,
    signal,
    maxBufferBytes,
    ...(caller.is === 'pod' && { failed }),
    onUnmanaged() {
      // One more read catches changes from before the watch was established.
      watches.configs(kind, namespace, signal).then(
        () => version.hint(),
        (error: unknown) => {
          if (!signal.aborted) version.end(error instanceof Refusal ? error.body : undefined);
        },
      );
    },
  });
  const pod = caller.is === 'pod' ? caller : undefined;
  // Some of the reads before are shared with other requests, and do not end when this client leaves.
  signal.throwIfAborted();
  const leave = hub.open(address, version, pod, workload && `${workload.kind}/${workload.name}`);
  const lifeMs = (timeoutSeconds ?? least + Math.random() * spread) * 1000;
  const cancel = clock.after(Math.min(lifeMs, 2 ** 31 - 1), () => version.end());
  onClose(response, () => {
    cancel();
    leave();
  });
  try {
    const appliedVersion = await source.now(signal);
    if (appliedVersion === undefined) throw noConfig(address);
    // An assignment changes without the ConfigRollout, so such a stream always starts with the present version.
    await version.start(appliedVersion, workload === undefined ? from : undefined);
  } catch (error) {
    cancel();
    leave();
    throw error;
  }
  return 'answered';
}
