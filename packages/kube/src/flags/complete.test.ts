import { describe, expect, test } from 'vitest';
import { complete, type ValueRequest } from './complete.ts';
import type { Program } from './program.ts';
import type { CommandTable } from './run-command.ts';

const steer: Program = {
  name: 'ship steer',
  summary: 'Steers.',
  flags: {
    speed: { type: 'choice', choices: ['slow', 'fast'], help: 'Speed of the ship. In knots.' },
    log: { type: 'string', placeholder: 'FILE', help: 'Log.' },
    into: { type: 'string', placeholder: 'DIR', help: 'Folder.' },
    output: { type: 'string', short: 'o', placeholder: 'json|yaml|jsonpath=TEMPLATE', help: 'Format.' },
    flag: { type: 'list', completes: 'country', help: 'Flags.' },
    name: { type: 'string', help: 'Any name.' },
    quiet: { type: 'boolean', help: 'No horn.' },
    old: { type: 'boolean', hidden: true, help: 'Nothing.' },
  },
  positionals: {
    port: { help: 'Port.', completes: 'port' },
    side: { help: 'Side.', completes: ['port', 'starboard'] },
    crew: { help: 'Crew.', many: true, completes: 'sailor' },
  },
};
const run: Program = {
  name: 'ship run',
  summary: 'Runs.',
  flags: {},
  rest: { name: 'COMMAND', help: 'Command.' },
};

function load(program: Program) {
  return async () => ({ program, run: () => 0 });
}

const table: CommandTable = {
  name: 'ship',
  summary: 'A ship.',
  leadingFlags: { sea: { type: 'string', short: 's', completes: 'sea', help: 'Sea.' } },
  commands: {
    steer: { does: 'turn the rudder', aliases: ['turn'], load: load(steer) },
    stop: { does: 'stop', load: load(run) },
    set: {
      does: 'set things',
      table: { summary: 'Sets.', commands: { course: { does: 'set the course', load: load(steer) } } },
    },
    __secret: { does: 'nothing', hidden: true, load: load(run) },
  },
};

async function offered(...words: string[]) {
  const asked: ValueRequest[] = [];
  const completion = await complete(table, words, async (request) => {
    asked.push(request);
    return [{ value: `${request.kind}-1` }, { value: `${request.kind}-2` }];
  });
  return {
    values: completion.candidates.map(({ value }) => value),
    files: completion.files,
    completion,
    asked,
  };
}

describe('a word of a command line is completed', () => {
  test.each<[words: string[], values: string[]]>([
    [[''], ['steer', 'stop', 'set', 'help']],
    [['st'], ['steer', 'stop']],
    [['set', ''], ['course']],
    [['help', 'se'], ['set']],
    [['help', 'set', ''], ['course']],
    [['--'], ['--sea', '--help']],
    [
      ['-s', ''],
      ['sea-1', 'sea-2'],
    ],
    [['--sea', 'north', 'sto'], ['stop']],
    [['steer', '--s'], ['--speed']],
    [
      ['turn', '--speed', ''],
      ['slow', 'fast'],
    ],
    [['steer', '--speed=f'], ['--speed=fast']],
    [['steer', '--speed', 'slow', '--sp'], []],
    [['steer', '--flag', 'x', '--fl'], ['--flag']],
    [
      ['steer', '-o', ''],
      ['json', 'yaml', 'jsonpath='],
    ],
    [['steer', '--name', ''], []],
    [['steer', '--ol'], []],
    [
      ['steer', ''],
      ['port-1', 'port-2'],
    ],
    [['steer', '--quiet', 'hull', 's'], ['starboard']],
    [['set', 'course', 'hull', 'port', 'tom', 'sailor-2'], ['sailor-2']],
    [
      ['steer', '--', ''],
      ['port-1', 'port-2'],
    ],
    [['sink', ''], []],
    [['__secret', ''], []],
  ])('%j', async (words, values) => {
    expect((await offered(...words)).values).toEqual(values);
  });

  test('with files, where a file is meant', async () => {
    expect((await offered('steer', '--log', '')).files).toBe('files');
    expect((await offered('steer', '--log=')).files).toBe('files');
    expect((await offered('steer', '--into', '')).files).toBe('folders');
    expect((await offered('stop', '--', '')).files).toBe('files');
    expect((await offered('steer', '')).files).toBeUndefined();
  });

  test('with what the program knows of the words before', async () => {
    const { asked } = await offered('steer', 'hull', '--speed', 'slow', '--flag', 'de', '--flag', '');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ kind: 'country', prefix: '', positionals: { port: 'hull' } });
    expect([...(asked[0]?.given ?? [])]).toEqual([
      ['speed', ['slow']],
      ['flag', ['de']],
    ]);
  });

  test('with a short description', async () => {
    const { completion } = await offered('steer', '--sp');
    expect(completion.candidates).toEqual([{ value: '--speed', help: 'Speed of the ship' }]);
  });
});
