import type { ConfigKind } from '../../core/references/references.ts';
import { StatusError } from '../answer/status-error.ts';
import type { JsonSchema, Route } from '../route/route.ts';
import { addressOf, plurals } from '../versions/addressing/config-address.ts';
import { activate } from './activate.ts';
import { readCurrent } from './read-current.ts';
import type { CurrentServices } from './services.ts';

const text: JsonSchema = { type: 'string' };
const flag: JsonSchema = { type: 'boolean' };

/** `…/{name}/current`: the word for whichever version applies. */
export function currentRoutes(kind: ConfigKind, services: () => CurrentServices): Route[] {
  const own = `namespaces/{namespace}/${plurals[kind]}/{name}/current`;
  const read = (path: string, operationId: string): Route => ({
    method: 'GET',
    path,
    document: {
      operationId,
      summary: `The version of a ${kind} that applies to whoever asks: for a person the current one, for a pod the one that it should run.`,
      query: {
        watch: { description: 'A Kubernetes watch of it: one JSON document for each line.', schema: flag },
        allowWatchBookmarks: {
          description: 'With watch: about every 30 s a BOOKMARK, as a sign of life and to resume from.',
          schema: flag,
        },
        resourceVersion: {
          description:
            'With watch: go on from here. What has changed since is told as its outcome, by one MODIFIED. Without it: ADDED first.',
          schema: text,
        },
        timeoutSeconds: { description: 'With watch: how long it lasts.', schema: { type: 'integer' } },
      },
      answers: {
        200: { description: `The version as a ${kind} with metadata.version and its state, or the watch.` },
        403: {
          description: 'The cluster does not let this person; or the spec of this pod does not name it.',
        },
        404: { description: 'There is no such config.' },
        429: { description: 'This pod has too many open watches.' },
      },
    },
    handle: (request) => readCurrent(services(), request, addressOf(kind, request.parameters)),
  });
  return [
    read(`/api/v1/${own}`, `readCurrent${kind}`),
    read(`/api/version/${own}`, `readCurrent${kind}Alias`),
    {
      method: 'PUT',
      path: `/api/v1/${own}`,
      document: {
        operationId: `activate${kind}Version`,
        summary: `Makes a version of a ${kind} current, with a rollout over all workloads that use it.`,
        query: {
          dryRun: { description: '`All`: answer the plan and change nothing.', schema: { enum: ['All'] } },
          wait: {
            description: 'Hold the answer until it is current or rolled back, as in 60s; at most 10m.',
            schema: text,
          },
        },
        body: {
          description: 'The name of an existing version.',
          schema: {
            type: 'object',
            required: ['version'],
            additionalProperties: false,
            properties: { version: text },
          },
        },
        answers: {
          200: { description: 'It is current (with dryRun: the plan).' },
          202: {
            description:
              'It is being made current: the ConfigRollout, with the path of its watch in Location. Also when the time of wait is over; then a Warning tells how far it is.',
          },
          404: { description: 'There is no such config, or no such version.' },
          409: {
            description:
              'With wait: it was rolled back, could not begin, or was superseded; the causes say why.',
          },
          422: { description: 'The name of the version is missing, or can be none.' },
        },
      },
      handle: (request) => activate(services(), request, addressOf(kind, request.parameters)),
    },
    {
      method: 'POST',
      path: `/api/v1/${own}/ack`,
      document: {
        operationId: `acknowledge${kind}Version`,
        summary: 'A pod acknowledges or refuses the version that it was given.',
        body: { description: 'What the pod has to say.', schema: { type: 'object' } },
        answers: { 501: { description: 'It comes with reload.' } },
      },
      async handle() {
        throw new StatusError(
          501,
          'NotImplemented',
          'acknowledgements come with reload: pods are recycled for now, and their health is what counts',
        );
      },
    },
  ];
}
