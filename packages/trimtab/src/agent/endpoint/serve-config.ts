import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';
import { acceptedForm, type Form } from './accepted-form.ts';
import { matches } from './content.ts';
import type { Published } from './published.ts';
import { tooManyRequests, unavailable } from './request-error.ts';
import { parseWait } from './wait-parameter.ts';
import { writeResponse } from './write-response.ts';

const maxWaiting = 64;

/** GET and HEAD of the dictionary, with `?wait=30s` as a long poll. */
export async function serveConfig(
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
  { published, clock }: { published: Published; clock: Clock },
): Promise<void> {
  const form = acceptedForm(request.headers.accept);
  const known = request.headers['if-none-match'];
  const waitMs = parseWait(query.get('wait'));
  if (waitMs > 0) await waitForChange(response, published, { form, known, waitMs });
  if (published.isClosed) throw unavailable('The agent is stopping');
  if (published.current === undefined) throw unavailable('The agent has not received the configs yet');
  const { contentType, body, etag } = published.current.as(form);
  const headers = { etag, vary: 'accept' };
  if (known !== undefined && matches(known, etag))
    return writeResponse(response, { status: 304, headers }, clock);
  return writeResponse(
    response,
    { status: 200, headers: { 'content-type': contentType, ...headers }, body },
    clock,
  );
}

/** Without If-None-Match, the content at the time of the request is the known one. */
async function waitForChange(
  response: ServerResponse,
  published: Published,
  { form, known, waitMs }: { form: Form; known: string | undefined; waitMs: number },
): Promise<void> {
  const current = () => published.current?.as(form).etag;
  const atStart = current();
  const hasChanged = () => {
    const etag = current();
    if (etag === undefined) return false;
    return known === undefined ? etag !== atStart : !matches(known, etag);
  };
  if (!hasChanged() && published.waiting >= maxWaiting)
    throw tooManyRequests(`${maxWaiting} requests of this pod are waiting already`, 1_000);
  const gone = new AbortController();
  const onClose = () => gone.abort();
  response.once('close', onClose);
  await published.wait(hasChanged, waitMs, gone.signal);
  response.off('close', onClose);
}
