import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runTrimtab } from './support/run-trimtab.ts';

/** What `create configmap` and `create secret generic` read from files and literals, compared with kubectl. */

const engine = await currentEngine();
let folder: string;

const files: Record<string, string | Buffer> = {
  'config.yml': 'color: blue\nsize: 3\n',
  'empty.txt': '',
  'no-newline': 'x',
  'windows.ini': 'a=1\r\nb=2\r\n',
  'mark.txt': '\uFEFFmarked',
  'umlaut.txt': 'Grüße\u2028<&> "quoted" \\ \t\0',
  'logo.png': Buffer.from([0x89, 0x50, 0xff, 0x00, 0x0a]),
  'cut.txt': Buffer.from('ü').subarray(0, 1),
  'a,b.txt': 'comma',
  'name with spaces': 'x',
  'app.env': '# comment\n\nA=1\n  B= two words \nC="quoted"\nD=x=y\n#E=5\nFROM_ENV\nNOT_SET\n',
  'windows.env': '\uFEFFA=1\r\nB=2\r\n',
  'space-only.env': ' \t \n\u00a0\n',
  'twice.env': 'A=1\nA=2\n',
  'digit.env': '1A=x\n',
  'space.env': 'A B=x\n',
  'no-name.env': '=x\n',
  'parent.env': '..a=x\n',
  'bytes.env': Buffer.from([0x41, 0x3d, 0xff, 0x0a]),
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'trimtab-sources-'));
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
  const nested = path.join(folder, 'conf');
  await mkdir(path.join(nested, 'below'), { recursive: true });
  await writeFile(path.join(nested, 'a.txt'), 'a');
  await writeFile(path.join(nested, 'b.bin'), Buffer.from([0xff]));
  await writeFile(path.join(nested, 'below', 'c.txt'), 'c');
  await symlink(path.join(nested, 'a.txt'), path.join(nested, 'link.txt'));
  await mkdir(path.join(folder, 'odd'));
  await writeFile(path.join(folder, 'odd', 'not a key'), 'x');
  const many = path.join(folder, 'many');
  await mkdir(many);
  for (let index = 0; index < 1000; index++)
    await writeFile(path.join(many, `file-${index}.conf`), `number=${index}\n`);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await engine.close();
});

const env = { FROM_ENV: 'of the environment' };

/** Both programs, with FOLDER in the arguments replaced. */
async function both(kind: string[], args: string[]) {
  const words = ['create', ...kind, 'foo', ...args.map((word) => word.replaceAll('FOLDER', folder))];
  const [ours, theirs] = await Promise.all([
    runTrimtab(engine, words, { env }),
    kubectl(engine, words, { env }),
  ]);
  return { ours, theirs };
}

const kinds = [
  { kind: 'ConfigMap', words: ['configmap'] },
  { kind: 'Secret', words: ['secret', 'generic'] },
];

describe.each(kinds)('a $kind has the same content as from kubectl', ({ words }) => {
  test.each([
    ['nothing', []],
    [
      'files with text of all kinds',
      ['config.yml', 'empty.txt', 'no-newline', 'windows.ini', 'mark.txt', 'umlaut.txt'].map(
        (name) => `--from-file=FOLDER/${name}`,
      ),
    ],
    ['files with bytes', ['--from-file=FOLDER/logo.png', '--from-file=FOLDER/cut.txt']],
    [
      'files with chosen keys',
      ['--from-file=a=FOLDER/config.yml', '--from-file', 'b=FOLDER/name with spaces'],
    ],
    [
      'files in a list',
      [
        '--from-file=FOLDER/config.yml,x=FOLDER/empty.txt',
        '--from-file=comma="FOLDER/a,b.txt"'.replace('comma="FOLDER', '"comma=FOLDER'),
      ],
    ],
    ['a folder without subfolders and links', ['--from-file=FOLDER/conf']],
    ['a folder and a slash', ['--from-file=FOLDER/conf/']],
    ['a link to a file', ['--from-file=FOLDER/conf/link.txt']],
    ['a folder with 1,000 files', ['--from-file=FOLDER/many']],
    [
      'literals',
      ['--from-literal=a=1', '--from-literal=b=x,y=z', '--from-literal', 'c=', '--from-literal=__proto__=p'],
    ],
    ['files and literals', ['--from-file=FOLDER/config.yml', '--from-literal=a=1']],
    ['an env file', ['--from-env-file=FOLDER/app.env']],
    ['an env file of Windows', ['--from-env-file=FOLDER/windows.env']],
    ['an env file of blanks', ['--from-env-file=FOLDER/space-only.env']],
    ['two env files', ['--from-env-file=FOLDER/app.env', '--from-env-file=FOLDER/space-only.env']],
    ['a namespace', ['--from-literal=a=1', '-n', 'shop']],
    ['a hash in the name', ['--from-file=FOLDER/umlaut.txt', '--from-file=FOLDER/logo.png', '--append-hash']],
    ['a hash of nothing', ['--append-hash']],
  ])('%s', async (_, args) => {
    const { ours, theirs } = await both(words, [...args, '--dry-run=client', '-o', 'yaml']);
    expect(theirs).toMatchObject({ stderr: '', code: 0 });
    expect(ours).toMatchObject({ stderr: '', code: 0 });
    expect(parse(ours.stdout)).toEqual(parse(theirs.stdout));
  });

  test('and the same type and name', async () => {
    if (words[0] === 'secret') {
      const typed = await both(words, [
        '--type=example.com/key',
        '--append-hash',
        '--dry-run=client',
        '-o',
        'yaml',
      ]);
      expect(parse(typed.ours.stdout)).toEqual(parse(typed.theirs.stdout));
    }
    const { ours, theirs } = await both(words, ['--dry-run=client', '-o', 'name']);
    expect(ours).toEqual(theirs);
  });
});

describe.each(kinds)('a $kind is refused with the message of kubectl', ({ words }) => {
  test.each([
    ['a missing file', ['--from-file=FOLDER/missing']],
    ['a missing file with a key', ['--from-file=a=FOLDER/missing']],
    ['a key for a folder', ['--from-file=a=FOLDER/conf']],
    ['a file in a folder whose name is not a key', ['--from-file=FOLDER/odd']],
    ['a file whose name is not a key', ['--from-file=FOLDER/name with spaces']],
    ['no key', ['--from-file==FOLDER/config.yml']],
    ['no path', ['--from-file=a=']],
    ['too many =', ['--from-file=a=b=FOLDER/config.yml']],
    ['standard input as -', ['--from-file=-']],
    ['the same key twice', ['--from-file=FOLDER/config.yml', '--from-literal=config.yml=x']],
    ['the same key of bytes twice', ['--from-file=a=FOLDER/logo.png', '--from-file=a=FOLDER/logo.png']],
    ['a key that leaves the volume', ['--from-literal=..a=x']],
    ['a key with a slash', ['--from-literal=a/b=x']],
    ['a long key', [`--from-literal=${'x'.repeat(254)}=x`]],
    ['an env file beside a file', ['--from-env-file=FOLDER/app.env', '--from-file=FOLDER/config.yml']],
    ['a missing env file', ['--from-env-file=FOLDER/missing.env']],
    ['a folder as env file', ['--from-env-file=FOLDER/conf']],
    ['a name twice in an env file', ['--from-env-file=FOLDER/twice.env']],
  ])('%s', async (_, args) => {
    const { ours, theirs } = await both(words, [...args, '--dry-run=client']);
    expect(theirs).toMatchObject({ stdout: '', code: 1 });
    expect(ours.stderr.replace(/hint: .*\n/, '')).toBe(theirs.stderr);
    expect(ours.stdout).toBe('');
    expect([1, 2]).toContain(ours.code);
  });

  test.each(['digit', 'space', 'no-name', 'parent'])('env file with %s', async (file) => {
    const { ours, theirs } = await both(words, [`--from-env-file=FOLDER/${file}.env`, '--dry-run=client']);
    expect(theirs.code).toBe(1);
    // Of a Secret, the line is told and not its content.
    const told =
      words[0] === 'secret'
        ? theirs.stderr.replace(/"[^"]*"/, `line 1 of env file ${folder}/${file}.env`)
        : theirs.stderr;
    expect(ours).toMatchObject({ stderr: told, code: 1 });
  });
});

test('where kubectl shows bytes or a literal that may be secret, Trimtab does not', async () => {
  const bytes = await both(['secret', 'generic'], ['--from-env-file=FOLDER/bytes.env', '--dry-run=client']);
  expect(bytes.theirs.stderr).toContain(bytes.ours.stderr.trimEnd());
  expect(bytes.ours.stderr).toBe(
    `error: env file ${folder}/bytes.env contains invalid utf8 bytes at line 1\n`,
  );
  const literal = await both(['secret', 'generic'], ['--from-literal=hunter2', '--dry-run=client']);
  expect(literal.theirs.stderr).toContain('hunter2');
  expect(literal.ours).toMatchObject({
    stderr: 'error: invalid literal source, expected key=value\n',
    code: 2,
  });
});

// kubectl cannot open the standard input that Node.js gives it, which is a socket.
test('standard input is read from /dev/stdin', async () => {
  const words = ['create', 'configmap', 'foo', '--from-file=a=/dev/stdin', '--dry-run=client', '-o', 'yaml'];
  const { stdout } = await runTrimtab(engine, words, { stdin: 'piped\n' });
  expect(parse(stdout).data).toEqual({ a: 'piped\n' });
});

test('what is too large for the API server is refused before it is sent, with its size', async () => {
  const file = path.join(folder, 'large.bin');
  await writeFile(file, Buffer.alloc(2 * 1024 * 1024, 'x'));
  const { stderr, code } = await runTrimtab(engine, ['create', 'configmap', 'foo', `--from-file=${file}`]);
  expect({ stderr, code }).toEqual({
    stderr:
      'error: the content of configmap "foo" has 2097152 bytes, and Kubernetes accepts at most 1048576 bytes (1 MiB) in one ConfigMap; its largest key is "large.bin" with 2097152 bytes\nhint: split the content into several configs, or keep large files in a volume or an image\n',
    code: 1,
  });
  await writeFile(file, Buffer.alloc(1024 * 1024, 'x'));
  const namespace = await engine.namespace();
  const most = await runTrimtab(engine, ['create', 'configmap', 'foo', `--from-file=${file}`], { namespace });
  expect(most).toMatchObject({ stdout: 'configmap "foo" created\n', stderr: '', code: 0 });
});
