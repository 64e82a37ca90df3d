/** The expected state of one config: its versions, the current version, and all version names ever used. */
interface ModelConfig {
  /** An unmanaged config has no stored versions yet; its content is shown as 1.0.0. */
  managed: boolean;
  /** True for a config that was created with a version: its data cannot be edited, only versions can be added. */
  locked: boolean;
  /** Content of the config itself. Activations write it only while the config is locked. */
  live: string;
  /** In the order of creation. */
  versions: { name: string; value: string }[];
  used: Set<string>;
  current: string;
}

/** The expected response to a call, as far as the documented API defines it. */
export interface Expected {
  status: number;
  version?: string;
  value?: string;
  /** As `…/current` shows it. */
  state?: string;
  /** Names with their states, in order. */
  list?: [string, string][];
  deleted?: string[];
}

const reserved = 'current';

/** A model of the documented API, to compare the gateway with: without a cluster, ledgers and races. */
export class ApiModel {
  readonly #configs = new Map<string, ModelConfig>();

  get names(): string[] {
    return [...this.#configs.keys()];
  }

  /** Creates a config with the API server, without the gateway. */
  createPlain(name: string, value: string): Expected {
    if (this.#configs.has(name)) return { status: 409 };
    const first = { name: '1.0.0', value };
    this.#configs.set(name, {
      managed: false,
      locked: false,
      live: value,
      versions: [first],
      used: new Set(['1.0.0']),
      current: '1.0.0',
    });
    return { status: 201 };
  }

  create(name: string, version: string, value: string): Expected {
    if (version === reserved) return { status: 422 };
    if (this.#configs.has(name)) return { status: 409 };
    const first = { name: version, value };
    this.#configs.set(name, {
      managed: true,
      locked: true,
      live: value,
      versions: [first],
      used: new Set([version]),
      current: version,
    });
    return { status: 201, version, value };
  }

  add(name: string, wished: string | undefined, value: string): Expected {
    if (wished === reserved) return { status: 422 };
    const config = this.#configs.get(name);
    if (config === undefined) return { status: 404 };
    const version = wished ?? nextAutomatic(config);
    if (config.used.has(version)) return { status: 409 };
    config.managed = true;
    config.used.add(version);
    config.versions.push({ name: version, value });
    return { status: 201, version, value };
  }

  read(name: string, version: string): Expected {
    const found = this.#configs.get(name)?.versions.find((each) => each.name === version);
    return found === undefined ? { status: 404 } : { status: 200, version, value: found.value };
  }

  readCurrent(name: string): Expected {
    const config = this.#configs.get(name);
    return config === undefined ? { status: 404 } : { ...this.read(name, config.current), state: 'current' };
  }

  /** In the model every activation succeeds. */
  activate(name: string, version: string): Expected {
    if (version === reserved) return { status: 422 };
    const config = this.#configs.get(name);
    const found = config?.versions.find((each) => each.name === version);
    if (config === undefined || found === undefined) return { status: 404 };
    config.current = version;
    if (config.locked) config.live = found.value;
    return { status: 200, version };
  }

  /** False for a managed config that is not locked: its edit becomes a version asynchronously. */
  mayBeEdited(name: string): boolean {
    const config = this.#configs.get(name);
    return config === undefined || config.locked || !config.managed;
  }

  /** Edits the config itself. */
  edit(name: string, value: string): Expected {
    const config = this.#configs.get(name);
    if (config === undefined) return { status: 404 };
    if (config.locked) return { status: config.live === value ? 200 : 403 };
    config.live = value;
    config.versions = [{ name: '1.0.0', value }];
    return { status: 200 };
  }

  list(name: string): Expected {
    const config = this.#configs.get(name);
    if (config === undefined) return { status: 404 };
    const { versions, current } = config;
    return {
      status: 200,
      list: versions.map((each) => [each.name, each.name === current ? 'current' : 'not-current']),
    };
  }

  delete(name: string, version: string): Expected {
    const config = this.#configs.get(name);
    if (!config?.versions.some((each) => each.name === version)) return { status: 404 };
    if (mustStay(config, version)) return { status: 409 };
    config.versions = config.versions.filter((each) => each.name !== version);
    return { status: 200 };
  }

  deleteAll(name: string): Expected {
    const config = this.#configs.get(name);
    if (config === undefined) return { status: 404 };
    const deleted: string[] = [];
    for (const { name: version } of config.versions)
      if (!mustStay(config, version)) {
        config.versions = config.versions.filter((each) => each.name !== version);
        deleted.push(version);
      }
    return { status: 200, deleted };
  }
}

/** The current version, and the last version with the content of the config. */
function mustStay({ versions, current, live }: ModelConfig, version: string): boolean {
  if (version === current) return true;
  const others = versions.filter(({ name }) => name !== version);
  return others.length < versions.length && !others.some(({ value }) => value === live);
}

/** The name after the highest one that was ever used; names that people chose count as well. */
function nextAutomatic({ used }: ModelConfig): string {
  const patches = [...used].map((name) => Number(/^1\.0\.(\d+)$/.exec(name)?.[1] ?? -1));
  return `1.0.${Math.max(-1, ...patches) + 1}`;
}
