import fc from 'fast-check';
import { configMaps, secrets } from '../../../src/kube/resource.ts';
import { ApiError } from '../../../src/kube/transport/errors.ts';
import type { Answered } from './gateway-scene.ts';
import type { Expected, ProposalModel } from './proposal-model.ts';
import type { VersionsScene } from './versions-scene.ts';

/** Where a run takes place: names of its own, so that runs do not meet. */
export interface Stage {
  scene: VersionsScene;
  plural: 'configmaps' | 'secrets';
  nameOf(config: string): string;
}

/** One call to both worlds. */
export interface ModelCall {
  /** For the counterexample. */
  toString(): string;
  expected(model: ProposalModel): Expected;
  actual(stage: Stage): Promise<Expected>;
}

// Few names, so that calls meet.
const config = fc.constantFrom('foo', 'foo', 'bar');
const version = fc.constantFrom('1.0.0', '1.0.1', 'initial release', 'a/b');
const wished = fc.oneof({ weight: 9, arbitrary: version }, { weight: 1, arbitrary: fc.constant('current') });
const value = fc.constantFrom('blue', 'red');

/** Every kind of call, and how often it is drawn; whatever the gateway learns is added here and to the model. */
export const modelCalls: { weight: number; arbitrary: fc.Arbitrary<ModelCall> }[] = [
  {
    weight: 1,
    arbitrary: fc.record({ config, value }).map(({ config, value }) => ({
      toString: () => `plain ${config}=${value}`,
      expected: (model) => model.createPlain(config, value),
      actual: (stage) => createPlain(stage, config, value),
    })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ config, wished, value }).map(({ config, wished, value }) => ({
      toString: () => `create ${config}@${wished}=${value}`,
      expected: (model) => model.create(config, wished, value),
      async actual(stage) {
        const body = { metadata: { name: stage.nameOf(config) }, ...content(stage, value) };
        return made(stage, await call(stage, 'POST', encodeURIComponent(wished), body));
      },
    })),
  },
  {
    weight: 6,
    arbitrary: fc
      .record({ config, wished: fc.option(wished, { nil: undefined }), value })
      .map(({ config, wished, value }) => ({
        toString: () => `add ${config}@${wished ?? '?'}=${value}`,
        expected: (model) => model.add(config, wished, value),
        async actual(stage) {
          const tail = wished === undefined ? '' : `/${encodeURIComponent(wished)}`;
          return made(stage, await call(stage, 'POST', stage.nameOf(config) + tail, content(stage, value)));
        },
      })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ config, version }).map(({ config, version }) => ({
      toString: () => `read ${config}@${version}`,
      expected: (model) => model.read(config, version),
      actual: async (stage) =>
        made(stage, await call(stage, 'GET', `${stage.nameOf(config)}/${encodeURIComponent(version)}`)),
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

/** Also asked of every config at the end of a run. */
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
