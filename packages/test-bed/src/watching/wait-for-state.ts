import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient, ObjectKey } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { Account } from './account.ts';
import { objectStates } from './object-states.ts';
import { asSeen, type Observation, timeoutError } from './wait-for.ts';

/** Like `waitFor`, for one object: evaluates every state that the object takes. */
export async function waitForState<T extends KubeObject, R>(
  what: string,
  client: KubeClient,
  resource: Resource,
  where: ObjectKey,
  judge: (object: T | undefined) => Observation<R>,
  { timeoutMs, scene }: { timeoutMs: number; scene?: () => Promise<string> },
): Promise<R> {
  const account = new Account();
  const start = performance.now();
  const elapsed = () => performance.now() - start;
  const signal = AbortSignal.timeout(timeoutMs);
  while (!signal.aborted) {
    try {
      for await (const object of objectStates<T>(client, resource, where, signal)) {
        const found = judge(object);
        if ('met' in found) return found.met;
        account.note(elapsed(), found.seen);
      }
    } catch (error) {
      if (signal.aborted) break;
      account.note(elapsed(), asSeen(error).seen);
      await delay(100);
    }
  }
  throw await timeoutError(what, elapsed(), account, scene);
}
