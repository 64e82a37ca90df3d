import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { readBody } from './read-body.ts';
import { type HookTarget, parseSubscription, type Subscription } from './subscription.ts';
import type { Subscriptions } from './subscriptions.ts';
import { writeJson, writeResponse } from './write-response.ts';

export interface HooksContext {
  subscriptions: Subscriptions;
  target: HookTarget;
  clock: Clock;
  log: Logger;
}

/** `POST /config/hooks`: 201 for a new hook, 200 for a URL that is subscribed already. */
export async function addHook(
  request: IncomingMessage,
  response: ServerResponse,
  { subscriptions, target, clock, log }: HooksContext,
): Promise<void> {
  const body = await readBody(request);
  const { subscription, isNew } = subscriptions.subscribe(parseSubscription(body.toString('utf8'), target));
  const { id, container } = subscription;
  if (isNew) log.info({ hook: id, container }, 'hook subscribed');
  const location = { location: `/config/hooks/${id}` };
  return writeJson(response, isNew ? 201 : 200, shown(subscription), clock, location);
}

/** `GET /config/hooks` */
export function listHooks(response: ServerResponse, { subscriptions, clock }: HooksContext): Promise<void> {
  return writeJson(response, 200, { items: subscriptions.list().map(shown) }, clock);
}

/** `DELETE /config/hooks/{id}` */
export function removeHook(id: string, response: ServerResponse, context: HooksContext): Promise<void> {
  context.subscriptions.unsubscribe(id);
  context.log.info({ hook: id }, 'hook unsubscribed');
  return writeResponse(response, { status: 204 }, context.clock);
}

function shown({ id, url, container }: Subscription): Omit<Subscription, 'ca'> {
  return { id, url, ...(container !== undefined && { container }) };
}
