import { describe, expect, test } from 'vitest';
import { parseFileSource, parseLiteral, splitPaths } from './source-arguments.ts';

describe('--from-file', () => {
  test('several paths may be separated by commas, and a path with a comma is quoted', () => {
    expect(splitPaths('--from-file', 'a.txt,key=b.txt')).toEqual(['a.txt', 'key=b.txt']);
    expect(splitPaths('--from-file', '"a,b.txt",c.txt,"d""e"')).toEqual(['a,b.txt', 'c.txt', 'd"e']);
    expect(splitPaths('--from-file', '')).toEqual([]);
    for (const text of ['a"b', '"a', '"a"b'])
      expect(() => splitPaths('--from-file', text)).toThrow('a quote must enclose the whole path');
  });

  test('the key is the name of the file unless it is chosen', () => {
    expect(parseFileSource('conf/app.yml')).toEqual({
      key: 'app.yml',
      path: 'conf/app.yml',
      isKeyChosen: false,
    });
    expect(parseFileSource('conf/')).toMatchObject({ key: 'conf', path: 'conf/' });
    expect(parseFileSource('k=conf/app.yml')).toEqual({ key: 'k', path: 'conf/app.yml', isKeyChosen: true });
  });

  test.each([
    ['=a', 'key name for file path a missing'],
    ['a=', 'file path for key name a missing'],
    ['a=b=c', "key names or file paths cannot contain '='"],
  ])('%s is refused', (text, message) => {
    expect(() => parseFileSource(text)).toThrow(message);
  });
});

describe('--from-literal', () => {
  test('everything after the first = is the value', () => {
    expect(parseLiteral('ConfigMap', 'a=b=c, d')).toEqual({ key: 'a', value: 'b=c, d' });
    expect(parseLiteral('ConfigMap', 'a=')).toEqual({ key: 'a', value: '' });
  });

  test('a literal without a key is refused, and that of a Secret is not shown', () => {
    for (const text of ['hunter2', '=hunter2']) {
      expect(() => parseLiteral('ConfigMap', text)).toThrow(
        `invalid literal source ${text}, expected key=value`,
      );
      expect(() => parseLiteral('Secret', text)).toThrow('invalid literal source, expected key=value');
    }
  });
});
