import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { createEventRecorder } from '@trimtab/kube/events/recorder.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { WorkQueue } from '@trimtab/kube/queue/work-queue.ts';
import { isConflict, isNotFound } from '@trimtab/kube/transport/errors.ts';
import { Informers } from './informers.ts';
import type { ControllerFactory, LocalController } from './local-controller.ts';

export interface RunningControllers {
  /** Resolves when the caches are synced and the controllers have started. */
  ready: Promise<void>;
  close(): Promise<void>;
}

interface ControllersOptions {
  client: KubeClient;
  /** Defaults to the same client for every account. */
  clientAs?: (account: string) => KubeClient;
  log: Logger;
  clock?: Clock;
}

const usualConcurrency = 8;
/** Delay before retrying when the cache has not caught up with the API server. */
const staleMs = 20;

/** Runs controllers over one set of informers, as kube-controller-manager does. */
export function startControllers(
  { client, clientAs = () => client, log, clock = systemClock }: ControllersOptions,
  factories: Record<string, ControllerFactory>,
): RunningControllers {
  const informers = new Informers(client, log, clock);
  const parts = Object.entries(factories).map(([component, factory]) => {
    // Each controller has its own identity: admission rules and the audit log distinguish controllers by it.
    const own = clientAs(component);
    const recorder = createEventRecorder({ client: own, component, log, clock });
    const controller = factory({
      client: informers.noting(own),
      clientAs,
      informers,
      clock,
      log: log.child({ controller: component }),
      recordEvent: (about, type, reason, message) => recorder.event(about, type, reason, message),
    });
    return { controller, recorder, queue: queueOf(controller, log, clock) };
  });
  const subscriptions = parts.flatMap(({ controller, queue }) =>
    controller.listen((key, afterMs = 0) => queue.addAfter(key, afterMs)),
  );
  const begin = async () => {
    await informers.waitForSync();
    for (const { queue } of parts) queue.start();
  };
  const ready = begin();
  // Closing before the controllers are ready must not cause an unhandled rejection.
  ready.catch(() => {});
  return {
    ready,
    async close() {
      for (const end of subscriptions) end();
      await Promise.all(parts.map(({ queue }) => queue.drain(1_000)));
      await Promise.all(parts.map(({ controller }) => controller.close?.()));
      await Promise.all(parts.map(({ recorder }) => recorder.close(500)));
      await informers.close();
    },
  };
}

function queueOf(controller: LocalController, log: Logger, clock: Clock): WorkQueue {
  return new WorkQueue({
    name: controller.name,
    concurrency: controller.concurrency ?? usualConcurrency,
    log,
    clock,
    backoff: { initialMs: 20, maxMs: 15_000 },
    async handle(key, { signal }) {
      try {
        return await controller.reconcile(key, signal);
      } catch (error) {
        if (isConflict(error) || isNotFound(error)) return { requeueAfterMs: staleMs };
        throw error;
      }
    },
  });
}
