import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpServer, startHttpServer } from '../../platform/http-server.ts';
import type { Registry } from '../../platform/metrics.ts';
import type { MaterialSource } from '../../platform/tls/material.ts';
import { webhookPath } from '../manifests/installation.ts';
import { type AdmissionRequest, readReview, writeReview } from './admission-review.ts';
import { type AdmissionOptions, admitWorkload } from './admit-workload.ts';
import { readBody } from './request-body.ts';

/** A review holds the object twice, and API servers take objects of up to 3 MiB. */
const maxBodyBytes = 8 * 1024 * 1024;

export interface WebhookServerOptions extends AdmissionOptions {
  host: string;
  port: number;
  material: MaterialSource;
  metrics?: Registry;
}

/** Answers API servers. Whatever is not a review gets an HTTP error, which they read as 'no opinion'. */
export function startWebhookServer(options: WebhookServerOptions): Promise<HttpServer> {
  const { host, port, material, log, clock, metrics } = options;
  const reviews = metrics?.counter({
    name: 'trimtab_webhook_reviews_total',
    help: 'Workloads that were reviewed on their way in.',
    labels: ['result'],
  });

  async function review(admission: AdmissionRequest): Promise<string> {
    const { mutation, result } = await admitWorkload(admission, options);
    reviews?.inc({ result });
    return writeReview(admission.uid, mutation);
  }

  async function handler(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path] = (request.url ?? '').split('?');
    if (path !== webhookPath) return refuse(response, 404, 'not found');
    if (request.method !== 'POST') return refuse(response, 405, 'POST an AdmissionReview');
    const body = await readBody(request, maxBodyBytes);
    if (body === undefined) return refuse(response, 413, `more than ${maxBodyBytes} bytes`);
    const admission = readReview(body);
    if (admission === undefined) return refuse(response, 400, 'no AdmissionReview v1 of a workload');
    const answer = await review(admission);
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  }

  return startHttpServer({ name: 'webhook', host, port, tls: { material }, handler, log, clock });
}

function refuse(response: ServerResponse, status: number, problem: string): void {
  // The body may not have been read: a connection that goes on would take it for the next request.
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${problem}\n`);
}
