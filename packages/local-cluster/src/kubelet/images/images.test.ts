import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  builtInImages,
  type Catalogue,
  findImage,
  type Image,
  programOf,
  withBuiltInImages,
} from './catalogue.ts';
import { parseImage, parseImageFile } from './parse-image.ts';

const catalogue: Catalogue = new Map<string, Image>([
  ...builtInImages('/opt/node'),
  ['nginx', { entrypoint: ['/usr/sbin/nginx'], cmd: ['-g', 'daemon off;'] }],
  ['shop/web:2', { entrypoint: ['web2'], cmd: [] }],
  ['shop/web', { entrypoint: ['web'], cmd: [] }],
]);

describe('an image', () => {
  it.each([
    ['nginx', '/usr/sbin/nginx'],
    ['nginx:1.27', '/usr/sbin/nginx'],
    ['docker.io/library/nginx:1.27@sha256:0123', '/usr/sbin/nginx'],
    ['library/nginx', '/usr/sbin/nginx'],
    ['shop/web:2', 'web2'],
    ['shop/web:3', 'web'],
    ['node:26-alpine', '/opt/node'],
    ['harbor-001.jimmysong.io/library/nginx:1.9', '/usr/sbin/nginx'],
    ['registry.example:5000/nginx', '/usr/sbin/nginx'],
    ['registry.example:5000/a/b/nginx:1.9@sha256:0123', '/usr/sbin/nginx'],
    ['registry.example/shop/web:2', 'web2'],
    ['registry.example/shop/web:3', 'web'],
  ])('%s is found', (image, program) => {
    expect(findImage(catalogue, image)?.entrypoint[0]).toBe(program);
  });

  it.each(['nginx2', 'registry.example:5000/nginx2', 'nginx/shop', 'registry.example/web', 'mynginx', ''])(
    '%s is not',
    (image) => {
      expect(findImage(catalogue, image)).toBeUndefined();
    },
  );

  it('with a more specific name in the catalogue takes that one', () => {
    const names = ['nginx', 'nginx:1.9', 'library/nginx', 'r.example/library/nginx'];
    const all = new Map(names.map((name): [string, Image] => [name, { entrypoint: [name], cmd: [] }]));
    const found = (image: string) => findImage(all, image)?.entrypoint[0];
    expect(found('r.example/library/nginx:1.9')).toBe('r.example/library/nginx');
    expect(found('other.example/library/nginx:1.9')).toBe('library/nginx');
    expect(found('other.example/shop/nginx:1.9')).toBe('nginx:1.9');
    expect(found('other.example/shop/nginx:1.10')).toBe('nginx');
  });
});

describe('the program of a container', () => {
  it.each([
    ['command and args', { command: ['a', 'b'], args: ['c'] }, { fromImage: [], words: ['a', 'b', 'c'] }],
    ['args', { args: ['-t'] }, { fromImage: ['/usr/sbin/nginx'], words: ['-t'] }],
    ['nothing', {}, { fromImage: ['/usr/sbin/nginx', '-g', 'daemon off;'], words: [] }],
  ])('that gives %s', (_, given, expected) => {
    expect(programOf({ name: 'app', image: 'nginx', ...given }, catalogue)).toMatchObject(expected);
  });

  it('with busybox is whatever its args say, and a shell without any', () => {
    expect(programOf({ name: 'app', image: 'busybox', args: ['date'] }, catalogue)).toMatchObject({
      fromImage: [],
      words: ['date'],
    });
    expect(programOf({ name: 'app', image: 'busybox' }, catalogue)).toMatchObject({ fromImage: ['sh'] });
  });

  it('whose image nobody knows is a problem, with the way out', () => {
    expect(programOf({ name: 'app', image: 'redis:8' }, catalogue)).toMatchObject({
      problem: 'ErrImagePull',
      message: expect.stringMatching(/Set "command" of container app.*--image redis='PROGRAM ARGS'/),
    });
    expect(
      programOf({ name: 'app', image: 'registry.example:5000/library/redis:8' }, catalogue),
    ).toMatchObject({
      message: expect.stringContaining("--image redis='PROGRAM ARGS'"),
    });
    expect(programOf({ name: 'app', image: 'redis:8', command: ['redis'] }, catalogue)).toMatchObject({
      words: ['redis'],
      isImageKnown: false,
    });
  });
});

describe('a container whose image name is invalid', () => {
  it.each([{}, { command: ['nginx'] }])('is refused (%j)', (given) => {
    expect(programOf({ name: 'app', image: 'nginx:', ...given }, catalogue)).toEqual({
      problem: 'InvalidImageName',
      message:
        'Failed to apply default image tag "nginx:": couldn\'t parse image name "nginx:": invalid reference format',
    });
  });
});

it('an image that is added later is found, and takes precedence over a built-in one', () => {
  const own = new Map<string, Image>();
  const all = withBuiltInImages('/opt/node', own);
  expect(findImage(all, 'node:26')).toEqual({ entrypoint: ['/opt/node'], cmd: [] });
  own.set('node', { entrypoint: ['other'], cmd: [] });
  expect(findImage(all, 'node:26')).toEqual({ entrypoint: ['other'], cmd: [] });
});

describe('--image', () => {
  it.each([
    ['nginx=nginx', 'nginx', ['nginx']],
    [`nginx = /usr/sbin/nginx -g 'daemon off;'`, 'nginx', ['/usr/sbin/nginx', '-g', 'daemon off;']],
    ['a="/opt/my app" x\\ y "say \\"hi\\""', 'a', ['/opt/my app', 'x y', 'say "hi"']],
    [`shop/web:2=env A=b ''`, 'shop/web:2', ['env', 'A=b', '']],
  ])('%s', (text, name, [program, ...args]) => {
    expect(parseImage(text)).toEqual([name, { entrypoint: [program], cmd: args }]);
  });

  it.each(['', 'nginx', 'nginx=', '=x', 'a="open', "a=it's", 'a= '])(
    '%j is refused with a reason',
    (text) => {
      expect(parseImage(text)).toEqual({
        problem: expect.stringMatching(/not of the form|has no program|unclosed quote/),
      });
    },
  );

  it('never throws, whatever is typed', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseImage(text)));
  });

  it('comes from a file, too, which may say what each is for', () => {
    expect(parseImageFile('# ours\n\nnginx=nginx -v\nbad\n')).toEqual({
      images: [['nginx', { entrypoint: ['nginx'], cmd: ['-v'] }]],
      problems: [expect.stringContaining('line 4')],
    });
  });
});
