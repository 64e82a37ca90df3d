import { execFileSync } from 'node:child_process';
import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clusterValues } from '../../src/cli/completion/cluster-values.ts';
import { completionScript } from '../../src/cli/completion/scripts.ts';
import { managed } from '../support/managed.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { InstalledLinks } from './support/installed-links.ts';
import { runTrimtab } from './support/run-trimtab.ts';

const engine = await currentEngine();
let it: ReleaseStory;
let links: InstalledLinks;

beforeAll(async () => {
  links = await InstalledLinks.create();
  it = await ReleaseStory.start(engine);
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    configMap('fur'),
    secret('key', { password: 'pa55' }),
    deployment('web', mountingConfigMap('foo', '/etc/foo'), envFromSecret('key'), managed),
    statefulSet('web-db', envFromSecret('key')),
  );
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-key');
});

afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await links?.[Symbol.asyncDispose]();
  await engine.close();
});

/** The candidates without descriptions, and the directive of the last line. */
async function offered(...words: string[]) {
  const { stdout, stderr, code } = await runTrimtab(engine, ['__complete', ...words]);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => line.split('\t')[0]).sort();
}

describe('names of the cluster', () => {
  test('configs, workloads and namespaces', async () => {
    const here = ['-n', it.namespace];
    expect(await offered('versions', ...here, '')).toEqual([':4', 'foo', 'secret/key']);
    expect(await offered('versions', ...here, 'cm/')).toEqual([':4', 'cm/foo']);
    expect(await offered(...here, 'manage', 'deployment/web', 'f')).toEqual([':4', 'foo', 'fur']);
    expect(await offered(...here, 'manage', 'deployment/web', 'secret/')).toContain('secret/key');
    expect(await offered(...here, 'manage', 'deployment/web', 'se')).toEqual([':6', 'secret/']);
    expect(await offered(...here, 'pin', '')).toEqual([':4', 'deployment/web', 'statefulset/web-db']);
    expect(await offered(...here, 'pin', 'sts/')).toEqual([':4', 'sts/web-db']);
    expect(await offered(...here, 'unmanage', 'deploy')).toEqual([':4', 'deployment/web']);
    expect(await offered('adopt', '-n', it.namespace.slice(0, -2))).toContain(it.namespace);
    expect(await offered('adopt', `--namespace=${it.namespace}`)).toContain(`--namespace=${it.namespace}`);
  });

  test('versions of the config that was typed before, with their states', async () => {
    const versionsOf = (config: string) =>
      clusterValues(
        {
          kind: 'version',
          prefix: '',
          given: new Map([['namespace', [it.namespace]]]),
          positionals: { config },
          program: undefined,
        },
        { KUBECONFIG: engine.kubeconfig },
      );
    expect(await versionsOf('cm/foo')).toEqual(
      expect.arrayContaining([
        { value: '1.0.0', help: 'not-current' },
        { value: '1.0.1', help: 'current' },
      ]),
    );
    expect(await versionsOf('secret/key')).toEqual([{ value: '1.0.0', help: 'current' }]);
    expect(await versionsOf('deployment/web')).toEqual([]);
  });

  test('what cannot be read is not offered, and nothing is printed', async () => {
    const broken = { namespace: it.namespace, kubeconfig: '/dev/null' };
    expect(await runTrimtab(engine, ['__complete', 'versions', ''], broken)).toEqual({
      stdout: ':4\n',
      stderr: '',
      code: 0,
    });
    const noCluster = await runTrimtab(engine, ['__complete', '-s', 'http://127.0.0.1:1', 'pin', '']);
    expect(noCluster).toEqual({ stdout: ':4\n', stderr: '', code: 0 });
    const kubeconfig = await engine.kubeconfigOf({ user: 'nobody' });
    const denied = await runTrimtab(engine, ['__complete', 'pin', ''], { kubeconfig });
    expect(denied).toEqual({ stdout: ':4\n', stderr: '', code: 0 });
  });
});

describe('in a real bash', () => {
  /** Completes the last word, split as readline does it: `=` is a word of its own. */
  async function inBash(line: string): Promise<string[]> {
    const words = line.split(/\s+|(?==)|(?<==)/);
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const script = `
      source <(trimtab completion bash)
      COMP_LINE='${line}' COMP_POINT=${line.length} COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}
      __trimtab_complete
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = await links.run('bash', ['--norc', '-c', script], {
      KUBECONFIG: engine.kubeconfig,
    });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((each) => each !== '');
  }

  test('commands, flags, values and names', async () => {
    expect(await inBash('trimtab unm')).toEqual(['unmanage']);
    expect(await inBash('trimtab adopt --dry')).toEqual(['--dry-run']);
    expect(await inBash('trimtab version --output=j')).toEqual(['json']);
    expect(await inBash('trimtab version --output=')).toEqual(['json', 'yaml']);
    expect(await inBash(`trimtab -n ${it.namespace} pin deployment/w`)).toEqual(['deployment/web']);
    expect(await inBash('trimtab nonsense ')).toEqual([]);
  });

  test('each script is accepted by its shell, where the machine has the shell', () => {
    const has = (shell: string) => {
      try {
        execFileSync('sh', ['-c', `command -v ${shell}`]);
        return true;
      } catch {
        return false;
      }
    };
    for (const shell of ['bash', 'zsh', 'fish'] as const)
      if (has(shell)) execFileSync(shell, ['-n'], { input: completionScript(shell) });
  });
});

test('kubectl completes the plugin by kubectl_complete-trimtab', async () => {
  const env = { KUBECONFIG: engine.kubeconfig };
  const { stdout } = await links.run(engine.kubectl, ['__complete', 'trimtab', 'pi'], env);
  expect(stdout).toContain('pin\tkeep a workload at the versions that it runs\n:4\n');
  const names = await links.run(
    engine.kubectl,
    ['__complete', 'trimtab', 'versions', '-n', it.namespace, 'f'],
    env,
  );
  expect(names.stdout).toContain('foo\n:4\n');
});
