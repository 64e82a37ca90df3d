import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromKey, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderJsonPath } from '../../src/cli/output/json-path.ts';

const engine = await currentEngine();
let namespace: string;
let list: object;

beforeAll(async () => {
  namespace = await engine.namespace();
  const given = new Given(await engine.connect(), namespace);
  await given.objects(
    configMap('foo', { 'app.conf': 'color=<blue>\n', size: '1' }),
    deployment(
      'web',
      mountingConfigMap('foo', '/etc/foo'),
      envFromKey('SIZE', 'foo', 'size'),
      annotated({ 'example.com/note': 'a & b' }),
      ({ spec }) => {
        spec.replicas = 0;
      },
    ),
  );
  list = JSON.parse((await getList('json', '--show-managed-fields')).stdout);
});

afterAll(() => engine.close());

function getList(output: string, ...flags: string[]) {
  const args = ['get', 'configmap/foo', 'deployment/web', `--output=${output}`, ...flags];
  return kubectl(engine, args, { namespace });
}

const container = '.items[1].spec.template.spec.containers';

test.each([
  ['{.kind}'],
  ['{.}'],
  ['{$.items[0]}'],
  ['{@.kind}'],
  ['{.items[0].data}'],
  ['{.items[0].data.app\\.conf}'],
  ["{.items[0].data['app\\.conf']}"],
  ["{.items[0].data['app.conf']}"],
  ["{.items[0]['metadata.name','kind']}"],
  ['{.items[1].metadata.annotations.example\\.com/note}'],
  ['{.items[1].spec.template.spec}'],
  ['{.items[*].metadata.name}'],
  ['{.items[-1].metadata.name}'],
  ['{.items[0:1].kind} {.items[1:].kind} {.items[::2].kind} {.items[].kind}'],
  [`{${container}[0].env[*].name}`],
  ['{..configMap.name}'],
  ['{.items[?(@.kind=="Deployment")].metadata.name}'],
  ["{.items[?(@.kind!='Deployment')].metadata.name}"],
  ['{.items[?(@.spec.replicas<1)].metadata.name}'],
  ['{.items[?(@.spec.replicas>=0)].spec.replicas}'],
  ['{.items[?(@.data)].metadata.name}'],
  ['{.items[?(@.missing)].metadata.name}'],
  ['{range .items[*]}{.kind}{"\\t"}{.metadata.name}{"\\n"}{end}done'],
  ['{range .items[*]}{.kind}:{range .spec.template.spec.containers[*]}{.name}{end};{end}'],
  ['{range .missing[*]}{.kind}{end}after'],
  ['{range .items[*]}{.kind} '],
  ['{.missing}{"-"}{.kind[*].x}'],
  ['text only'],
  ['{1} {1.5} {true}'],
  ["{'\\u00e9'}"],
])('%s prints what kubectl prints', async (template) => {
  const { stdout, code } = await getList(`jsonpath=${template}`);
  const ours = () => renderJsonPath(template, list);
  if (code === 0) expect(ours()).toBe(stdout);
  else expect(ours).toThrow('error executing jsonpath');
});

test.each([
  ['{.items', 'unclosed action'],
  ['{.items[0}', 'unterminated array'],
  ['{.items[a]}', 'invalid array index a'],
  ['{.items[?(@.a==1}', 'unterminated filter'],
  ['{"abc}', 'unterminated quoted string'],
  ['{.....name}', 'invalid multiple recursive descent'],
  ['{.items[7]}', 'array index out of bounds: index 7, length 2'],
  ['{kind}', 'unrecognized identifier kind'],
  ['{.items[?(@.spec.replicas<>1)]}', 'unrecognized filter operator <>'],
  ['{.items[?(@.kind==1)]}', 'incompatible types for comparison'],
  ['{end}', 'not in range, nothing to end'],
])('%s is refused as kubectl refuses it: %s', async (template, problem) => {
  const { stderr, code } = await getList(`jsonpath=${template}`);
  expect(code).not.toBe(0);
  expect(stderr).toContain(problem);
  expect(() => renderJsonPath(template, list)).toThrow(problem);
});
