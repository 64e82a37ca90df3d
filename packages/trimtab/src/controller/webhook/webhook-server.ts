import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpServer, startHttpServer } from '@trimtab/kube/http/http-server.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import type { MaterialSource } from '@trimtab/kube/tls/material.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { admitPod, type PodAdmissionOptions } from '../injection/admit-pod.ts';
import { webhookPaths } from '../manifests/installation.ts';
import { type AdmissionRequest, type Mutation, readReview, writeReview } from './admission-review.ts';
import { type AdmissionOptions, type AdmissionResult, admitWorkload } from './admit-workload.ts';
import { rewritePodReferences } from './rewrite-pod-references.ts';
import { stampRollout } from './stamp-rollout.ts';
import { webhookMetrics } from './webhook-metrics.ts';

/** A review contains the object twice, and API servers accept objects of up to 3 MiB. */
const maxBodyBytes = 8 * 1024 * 1024;

export interface WebhookServerOptions extends AdmissionOptions {
  host: string;
  port: number;
  /** Flag that sets the port, named in the error when the port is in use. */
  portFlag?: string;
  material: MaterialSource;
  metrics?: Registry;
  /** Whether the cache is complete, which all reviews need except those of the references of pods. */
  isInSync: () => boolean;
  /** Optional; without it, no pod is injected. */
  pods?: Omit<PodAdmissionOptions, 'clock' | 'log' | 'timeoutMs'>;
}

/**
 * Serves admission reviews to API servers. Other requests get an HTTP error. An API server ignores it for workloads and
 * rollouts, because of failurePolicy Ignore. The references of pods are rewritten from the annotation of the pod alone, so
 * that a controller that starts refuses no pod.
 */
export function startWebhookServer(options: WebhookServerOptions): Promise<HttpServer> {
  const { host, port, portFlag, material, log, clock, metrics } = options;
  const reviews = metrics && webhookMetrics(metrics);

  const { pods } = options;
  const reviewers = new Map<string, Reviewer>([
    [webhookPaths.workloads, (admission) => admitWorkload(admission, options)],
    [
      webhookPaths.rollouts,
      async (admission) => resultOf(stampRollout(admission as AdmissionRequest<KubeObject>)),
    ],
    [
      webhookPaths.podReferences,
      async (admission) =>
        resultOf(rewritePodReferences(admission as AdmissionRequest<KubeObject & PodTemplate>)),
    ],
  ]);
  if (pods !== undefined)
    reviewers.set(webhookPaths.pods, (admission) =>
      admitPod(admission as AdmissionRequest<KubeObject>, { ...options, ...pods }),
    );

  async function handler(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path] = (request.url ?? '').split('?');
    const review = reviewers.get(path ?? '');
    if (review === undefined) return refuse(response, 404, 'not found');
    if (path !== webhookPaths.podReferences && !options.isInSync())
      return refuse(response, 503, 'the cache of the controller is not in sync yet');
    if (request.method !== 'POST')
      return refuse(response, 405, 'method not allowed: send an AdmissionReview with POST');
    const body = await readBody(request);
    if (body === undefined)
      return refuse(response, 413, `request body is too large: must be at most ${maxBodyBytes} bytes`);
    const admission = readReview(body);
    if (admission === undefined)
      return refuse(
        response,
        400,
        'request body is not valid: must be an AdmissionReview (admission.k8s.io/v1) with an object',
      );
    const { mutation, result } = await review(admission);
    reviews?.inc({ result });
    response.writeHead(200, { 'content-type': 'application/json' }).end(writeReview(admission.uid, mutation));
  }

  return startHttpServer({
    ...{ name: 'webhook', host, port, tls: { material }, handler, log, clock },
    ...(portFlag !== undefined && { portFlag }),
  });
}

type Reviewer = (admission: AdmissionRequest) => Promise<{ mutation: Mutation; result: AdmissionResult }>;

function resultOf(mutation: Mutation): { mutation: Mutation; result: AdmissionResult } {
  return { mutation, result: mutation.patch.length > 0 ? 'patched' : 'unchanged' };
}

/** Returns the body as text. Returns undefined without reading the rest when it is longer than `maxBodyBytes`. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refuse(response: ServerResponse, status: number, problem: string): void {
  // The body may be unread: on a reused connection it would be parsed as the next request.
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${problem}\n`);
}
