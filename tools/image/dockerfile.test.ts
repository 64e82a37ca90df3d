import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { imageStart } from './build-platform-image.ts';
import { imageDefinitions } from './definitions.ts';
import { root } from './package-lock.ts';

/** Labels that differ from build to build. A Dockerfile gets them from the builder's flag --label. */
const perBuild = ['version', 'revision', 'created'].map((each) => `org.opencontainers.image.${each}`);

/** The instructions of a Dockerfile without line continuations. */
function instructions(name: string): { keyword: string; value: string }[] {
  const text = readFileSync(path.join(root, `deploy/image/${name}.Dockerfile`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [keyword = '', ...rest] = line.split(' ');
      return { keyword, value: rest.join(' ') };
    });
}

test.each(imageDefinitions)('the Dockerfile of $name builds the same image', (definition) => {
  const found = instructions(definition.name);
  const valuesOf = (keyword: string) =>
    found.filter((each) => each.keyword === keyword).map(({ value }) => value);
  const start = imageStart(definition, { version: '1', revision: 'a', created: 'now' });
  const labels = Object.entries(start.labels).filter(([label]) => !perBuild.includes(label));
  expect(valuesOf('FROM')).toEqual(['scratch']);
  // The folder has the entries of all layers; see writeRootfs.
  expect(valuesOf('COPY')).toEqual([`--chown=0:0 dist/images/rootfs/${definition.name}/\${TARGETARCH}/ /`]);
  expect(valuesOf('ENTRYPOINT').map((value) => JSON.parse(value))).toEqual([start.entrypoint]);
  expect(valuesOf('USER')).toEqual([start.user]);
  expect(valuesOf('ENV')).toEqual(start.env);
  expect(valuesOf('WORKDIR')).toEqual(['/']);
  expect(valuesOf('LABEL')).toEqual(labels.map(([label, value]) => `${label}=${JSON.stringify(value)}`));
  // Nothing else, such as RUN, which would add files.
  const keywords = ['ARG', 'COPY', 'ENTRYPOINT', 'ENV', 'FROM', 'LABEL', 'USER', 'WORKDIR'];
  expect(found.filter(({ keyword }) => !keywords.includes(keyword))).toEqual([]);
});
