import { callerNeeds } from '../../core/installation/caller-needs.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { configSchema, ref } from '../openapi/schemas.ts';
import type { JsonSchema, Route } from '../route/route.ts';
import { addressOf, plurals } from '../versions/addressing/config-address.ts';
import { acknowledge } from './acknowledge.ts';
import { activate } from './activate.ts';
import { isWatch } from './query.ts';
import { readCurrent } from './read-current.ts';
import type { CurrentServices } from './services.ts';

const text: JsonSchema = { type: 'string' };
const flag: JsonSchema = { type: 'boolean' };

/** Routes of `…/{name}/current`, where `current` stands for the version that applies to the caller. */
export function currentRoutes(kind: ConfigKind, services: () => CurrentServices): Route[] {
  const own = `namespaces/{namespace}/${plurals[kind]}/{name}/current`;
  const read = (path: string, operationId: string): Route => ({
    method: 'GET',
    path,
    document: {
      operationId,
      summary: `Reads the version of a ${kind} that applies to the caller: for a person the current version, for a pod the version that it should run.`,
      rights: callerNeeds(kind).readCurrent,
      query: {
        watch: {
          description:
            'Watch for changes: one Kubernetes watch event per line, as JSON. A DELETED event names the object without its content.',
          schema: flag,
        },
        allowWatchBookmarks: {
          description:
            'With watch: send a BOOKMARK event about every 30 s, to resume from and to detect dead connections.',
          schema: flag,
        },
        resourceVersion: {
          description:
            'With watch: resume from this resourceVersion. Changes since then are sent as one MODIFIED event with the latest state. Without it, the watch starts with an ADDED event.',
          schema: text,
        },
        timeoutSeconds: {
          description: 'With watch: end the watch after this time.',
          schema: { type: 'integer' },
        },
      },
      answers: {
        200: {
          description: `The version as a ${kind} with \`metadata.version\` and its state, with an \`ETag\`; or the watch.`,
          schema: configSchema(kind),
        },
        304: { description: 'The client has this version: its `ETag` is in `If-None-Match`.' },
        403: {
          description:
            'The caller is not authorized, or the spec of the calling pod does not reference the config.',
          schema: ref('Status'),
        },
        404: { description: 'The config does not exist.', schema: ref('Status') },
        410: {
          description:
            'With watch: the resourceVersion is later than any that the gateway knows of this config. Watch again without it.',
          schema: ref('Status'),
        },
        429: {
          description: 'The pod has too many open watches, or a limit of requests is reached.',
          schema: ref('Status'),
        },
      },
    },
    isStream: isWatch,
    servesPods: true,
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
        summary: `Makes a version of a ${kind} current and rolls it out to all workloads that use the ${kind}.`,
        rights: callerNeeds(kind).activate,
        query: {
          dryRun: { description: '`All`: return the plan and change nothing.', schema: { enum: ['All'] } },
          wait: {
            description:
              'Delay the response until the version is current or rolled back, for at most this duration (such as 60s; maximum 10m).',
            schema: text,
          },
        },
        body: {
          description: 'Name of an existing version.',
          schema: {
            type: 'object',
            required: ['version'],
            additionalProperties: false,
            properties: { version: text },
          },
        },
        answers: {
          200: { description: 'The version is current. With dryRun: the plan.' },
          202: {
            description:
              'The activation is in progress: the ConfigRollout, with the path of its watch in the Location header. Also returned when the duration of wait is over; a Warning header then describes the progress.',
          },
          404: {
            description: 'The config does not exist, or it has no such version.',
            schema: ref('Status'),
          },
          409: {
            description:
              'With wait: the version was rolled back, its activation could not start, or it was superseded; the causes say why.',
            schema: ref('Status'),
          },
          412: {
            description:
              'Another version is current than the one that `If-Match` names by its ETag or its name, such as `"1.0.0"`.',
            schema: ref('Status'),
          },
          422: { description: 'The version name is missing or invalid.', schema: ref('Status') },
        },
      },
      cost: 'expensive-dry-run',
      handle: (request) => activate(services(), request, addressOf(kind, request.parameters)),
    },
    {
      method: 'POST',
      path: `/api/v1/${own}/ack`,
      document: {
        operationId: `acknowledge${kind}Version`,
        summary:
          'Acknowledges or refuses the version that a pod was given. Only agents call it, with the token of their pod.',
        body: {
          description: 'What the application did with the version.',
          schema: {
            type: 'object',
            required: ['object', 'result', 'sequence'],
            properties: {
              object: text,
              version: text,
              result: { enum: ['Acknowledged', 'Refused'] },
              reason: text,
              sequence: { type: 'integer' },
            },
          },
        },
        answers: {
          200: { description: 'The report is recorded.' },
          202: { description: 'The report was received and is not recorded yet: repeat it.' },
          403: {
            description: 'The caller is not a pod, or its spec does not reference the config.',
            schema: ref('Status'),
          },
          409: { description: 'The pod should run another version by now.', schema: ref('Status') },
          422: { description: 'A field of the body is missing or invalid.', schema: ref('Status') },
        },
      },
      servesPods: true,
      handle: (request) => acknowledge(services(), request, addressOf(kind, request.parameters)),
    },
  ];
}
