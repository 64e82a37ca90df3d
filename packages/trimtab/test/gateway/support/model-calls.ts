import { isDeepStrictEqual } from 'node:util';
import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import fc from 'fast-check';
import { labels } from '../../../src/api/names.ts';
import { rolloutName } from '../../../src/core/version/object-names.ts';
import type { ApiModel, Expected } from './api-model.ts';
import type { Answered } from './gateway-scene.ts';
import type { VersionsScene } from './versions-scene.ts';

/** The environment of a run. Each run uses unique names, so runs do not interfere. */
export interface Stage {
  scene: VersionsScene;
  plural: 'configmaps' | 'secrets';
  nameOf(config: string): string;
}

/** One call, made to the model and to the gateway. */
export interface ModelCall {
  /** Description for the counterexample. */
  toString(): string;
  /** False when the model cannot predict the result. Defaults to true. */
  isPossible?(model: ApiModel): boolean;
  expected(model: ApiModel): Expected;
  actual(stage: Stage): Promise<Expected>;
}

// Few names, so that calls affect the same configs.
const config = fc.constantFrom('foo', 'foo', 'foo', 'bar');
const version = fc.constantFrom('1.0.0', '1.0.1', 'initial release', '50%ad');
const wished = fc.oneof({ weight: 9, arbitrary: version }, { weight: 1, arbitrary: fc.constant('current') });
const value = fc.constantFrom('blue', 'red');

const plainCall = fc.record({ config, value }).map(
  ({ config, value }): ModelCall => ({
    toString: () => `plain ${config}=${value}`,
    expected: (model) => model.createPlain(config, value),
    actual: (stage) => createPlain(stage, config, value),
  }),
);

const createCall = fc.record({ config, wished, value }).map(
  ({ config, wished, value }): ModelCall => ({
    toString: () => `create ${config}@${wished}=${value}`,
    expected: (model) => model.create(config, wished, value),
    async actual(stage) {
      const body = { metadata: { name: stage.nameOf(config) }, ...content(stage, value) };
      return made(stage, await call(stage, 'POST', encodeURIComponent(wished), body));
    },
  }),
);

const addCall = fc.record({ config, wished: fc.option(wished, { nil: undefined }), value }).map(
  ({ config, wished, value }): ModelCall => ({
    toString: () => `add ${config}@${wished ?? '?'}=${value}`,
    expected: (model) => model.add(config, wished, value),
    async actual(stage) {
      const tail = wished === undefined ? '' : `/${encodeURIComponent(wished)}`;
      return made(stage, await call(stage, 'POST', stage.nameOf(config) + tail, content(stage, value)));
    },
  }),
);

/** The first calls of a run: most calls need a config, and an activation needs two versions of it. */
export const firstCalls: fc.Arbitrary<ModelCall[]> = fc
  .tuple(fc.oneof(plainCall, createCall), addCall, addCall)
  .map((calls) => [...calls]);

/** Every kind of call with its weight. A new route of the gateway must be added here and to the model. */
export const modelCalls: { weight: number; arbitrary: fc.Arbitrary<ModelCall> }[] = [
  { weight: 1, arbitrary: plainCall },
  { weight: 2, arbitrary: createCall },
  { weight: 5, arbitrary: addCall },
  {
    weight: 2,
    arbitrary: fc.record({ config, version }).map(({ config, version }) => ({
      toString: () => `read ${config}@${version}`,
      expected: (model) => model.read(config, version),
      actual: async (stage) =>
        made(stage, await call(stage, 'GET', `${stage.nameOf(config)}/${encodeURIComponent(version)}`)),
    })),
  },
  { weight: 2, arbitrary: config.map(currentCall) },
  {
    weight: 7,
    arbitrary: fc.record({ config, wished }).map(({ config, wished }) => ({
      toString: () => `activate ${config}@${wished}`,
      expected: (model) => model.activate(config, wished),
      actual: (stage) => activate(stage, config, wished),
    })),
  },
  {
    weight: 1,
    arbitrary: fc.record({ config, value }).map(({ config, value }) => ({
      toString: () => `edit ${config}=${value}`,
      isPossible: (model) => model.mayBeEdited(config),
      expected: (model) => model.edit(config, value),
      actual: (stage) => edit(stage, config, value),
    })),
  },
  {
    weight: 5,
    arbitrary: fc.record({ config, version }).map(({ config, version }) => ({
      toString: () => `delete ${config}@${version}`,
      expected: (model) => model.delete(config, version),
      async actual(stage) {
        const path = `${stage.nameOf(config)}/${encodeURIComponent(version)}`;
        return { status: (await call(stage, 'DELETE', path)).status };
      },
    })),
  },
  {
    weight: 1,
    arbitrary: config.map((config) => ({
      toString: () => `delete all of ${config}`,
      expected: (model) => model.deleteAll(config),
      async actual(stage) {
        const { status, json } = await call(stage, 'DELETE', `${stage.nameOf(config)}/`);
        if (status !== 200) return { status };
        return { status, deleted: json.deleted.map((each: { version: string }) => each.version) };
      },
    })),
  },
  { weight: 1, arbitrary: config.map(listCall) },
];

/** Also made for every config at the end of a run. */
export function listCall(config: string): ModelCall {
  return {
    toString: () => `list ${config}`,
    expected: (model) => model.list(config),
    async actual(stage) {
      const path = `${stage.plural}/${stage.nameOf(config)}/versions`;
      const { status, json } = await stage.scene.ours('alice', path);
      if (status !== 200) return { status };
      const line = (each: { metadata: { name: string }; state: string }) => [each.metadata.name, each.state];
      return { status, list: json.items.map(line) };
    },
  };
}

/** Also made for every config at the end of a run. */
export function currentCall(config: string): ModelCall {
  return {
    toString: () => `read current ${config}`,
    expected: (model) => model.readCurrent(config),
    async actual(stage) {
      const answer = await call(stage, 'GET', `${stage.nameOf(config)}/current`);
      if (answer.status !== 200) return { status: answer.status };
      return { ...made(stage, answer), state: answer.json.metadata.annotations[labels.state] };
    },
  };
}

/** Waits until the controller has completed the activation, and a locked config has followed. */
async function activate(stage: Stage, config: string, version: string): Promise<Expected> {
  const { status, json } = await call(stage, 'PUT', `${stage.nameOf(config)}/current?wait=30s`, { version });
  if (status >= 300) return { status };
  await waitFor('a locked config holds its current version', async () => {
    const live = (await call(stage, 'GET', stage.nameOf(config))).json;
    if (live.metadata.labels?.[labels.locked] === undefined) return { met: true };
    const current = (await call(stage, 'GET', `${stage.nameOf(config)}/current`)).json;
    return isDeepStrictEqual(live.data, current.data) ? { met: true } : { seen: JSON.stringify(live) };
  });
  // The response for an unmanaged config is the config itself.
  return { status, version: json.metadata.version ?? json.status?.current?.version };
}

async function edit(stage: Stage, config: string, value: string): Promise<Expected> {
  const { scene, plural } = stage;
  const patch = (text: string, query = '') =>
    scene.as('alice', 'PATCH', `${plural}/${stage.nameOf(config)}${query}`, content(stage, text), {
      contentType: 'application/merge-patch+json',
    });
  const kind = plural === 'secrets' ? 'Secret' : 'ConfigMap';
  const rollout = (await scene.objects('configrollouts')).find(
    ({ metadata }) => metadata.name === rolloutName(kind, stage.nameOf(config)),
  );
  // API servers read policy parameters from a watch, so the lock of a new rollout takes effect with a delay.
  if (rollout !== undefined)
    await waitFor('the guard knows the rollout', async () => {
      const { status } = await patch('rehearsed', '?dryRun=All');
      return status === 403 ? { met: true } : { seen: String(status) };
    });
  return { status: (await patch(value)).status };
}

function call({ scene, plural }: Stage, method: string, path: string, body?: object): Promise<Answered> {
  return scene.as('alice', method, `${plural}/${path}`, body);
}

function content({ plural }: Stage, text: string): object {
  return plural === 'secrets' ? { stringData: { color: text } } : { data: { color: text } };
}

function made({ plural }: Stage, { status, json }: Answered): Expected {
  if (status >= 300) return { status };
  const text: string = json.data.color;
  const value = plural === 'secrets' ? Buffer.from(text, 'base64').toString() : text;
  return { status, version: json.metadata.version, value };
}

async function createPlain(stage: Stage, config: string, value: string): Promise<Expected> {
  const { scene, plural } = stage;
  const metadata = { name: stage.nameOf(config), namespace: scene.namespace };
  const resource = plural === 'secrets' ? secrets : configMaps;
  try {
    await scene.client.create(resource, { metadata, ...content(stage, value) });
    return { status: 201 };
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status };
    throw error;
  }
}
