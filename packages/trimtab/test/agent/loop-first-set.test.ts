import { readdirSync, realpathSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigRoot } from '../../src/agent/files/config-root.ts';
import {
  app,
  config,
  isAccepted,
  leaveFiles,
  logged,
  messages,
  ref,
  root,
  source,
  startAgent,
  ticks,
  untilFailed,
  untilLater,
  untilReady,
  untilTold,
  useAgentStage,
  version,
  visible,
} from './support/agent-stage.ts';

useAgentStage();

describe('the first set', () => {
  test('is written, and the application is told', async () => {
    const { agent, registry } = startAgent();
    expect(agent.state()).toMatchObject({
      notReady: 'configmap shop/web is not known yet',
      failure: undefined,
    });
    source.show(config('one'));
    await untilReady(agent);
    expect(app.told).toEqual(['one']);
    expect(isAccepted()).toBe(true);
    expect(messages()).toEqual(['config applied']);
    expect(registry.render()).toContain('trimtab_agent_last_reload_successful 1');
    expect(registry.render()).toContain(`resource_version="${version}"} 1`);
  });

  test('that the application refuses is reported, and the next one is applied', async () => {
    const { agent } = startAgent();
    source.show(config('bad'));
    await untilFailed(agent);
    expect(agent.state()).toMatchObject({
      notReady: expect.stringContaining('status 500'),
      isRestored: false,
    });
    source.show(config('one'));
    await untilReady(agent);
    expect(agent.state()).toMatchObject({ failure: undefined, isRestored: true });
    expect(app.told).toEqual(['bad', 'one']);
  });

  test('makes the agent ready while the application does not run, and the application is told later', async () => {
    await app.stop();
    const { agent } = startAgent();
    source.show(config('one'));
    await untilLater('readiness', () => agent.state().notReady === undefined);
    expect(agent.state().failure).toBeUndefined();
    expect([visible(), isAccepted()]).toEqual(['one', true]);
    expect(app.told).toEqual([]);
    await app.start();
    await untilLater('the application to be told', () => app.told.length > 0);
    expect(app.told).toEqual(['one']);
    expect(
      messages().filter((message) => message === 'application does not answer yet; retrying'),
    ).toHaveLength(1);
  });

  test('can consist of several configs, and a key of both is reported once', async () => {
    const { agent } = startAgent();
    const secret = { ...ref, kind: 'Secret' } as const;
    const later = config('later', {}, secret);
    source.show(config('earlier', { a: '1' }), later);
    await untilReady(agent);
    expect([visible(), visible('a')]).toEqual(['later', '1']);
    source.show(config('earlier', { a: '2' }), later);
    await untilTold('later', 'later');
    await untilReady(agent);
    source.show(config('earlier', { a: '2' }), later);
    source.show(config('earlier', { a: '3' }), later);
    await untilTold('later', 'later', 'later');
    const warnings = logged.filter(({ msg }) => msg === 'keys of configs collide or are missing');
    expect(warnings).toHaveLength(1);
  });
});

describe('after a restart of the agent', () => {
  test('an application that did not answer before is told', async () => {
    await app.stop();
    const first = startAgent();
    source.show(config('one'));
    await untilLater('readiness', () => first.agent.state().notReady === undefined);
    await first.end();
    await app.start();
    const second = startAgent();
    source.show(config('one'));
    await untilTold('one');
    await untilReady(second.agent);
  });

  test('the same content tells nobody', async () => {
    const first = startAgent();
    source.show(config('one'));
    await untilReady(first.agent);
    await first.end();
    const second = startAgent();
    source.show(config('one'));
    await untilReady(second.agent);
    source.show(config('two'));
    await untilTold('one', 'two');
  });

  test('another content is applied', async () => {
    leaveFiles('one');
    const { agent } = startAgent();
    source.show(config('two'));
    await untilTold('two');
    await untilReady(agent);
    expect(isAccepted()).toBe(true);
  });

  test('a set that was written and not accepted is told again', async () => {
    leaveFiles('one', 'two');
    const written = realpathSync(join(root, '..data'));
    const { agent } = startAgent();
    source.show(config('two'));
    await untilReady(agent);
    expect(app.told).toEqual(['two']);
    expect(isAccepted()).toBe(true);
    expect(realpathSync(join(root, '..data'))).toBe(written);
    // The agent does not know when the files were written, so every process is told.
    expect(ticks).toEqual([Number.POSITIVE_INFINITY]);
  });

  test('the content before an unfinished set is told as well', async () => {
    leaveFiles('one', 'two');
    const { agent } = startAgent();
    source.show(config('one'));
    await untilReady(agent);
    expect(app.told).toEqual(['one']);
    expect(visible()).toBe('one');
  });

  test('the good content that is back is told, if the application was not told before the end', async () => {
    leaveFiles('one', 'bad');
    const killed = new ConfigRoot({ root, fileMode: 0o644 });
    killed.recover();
    killed.restore({ isTold: false });
    const { agent } = startAgent();
    source.show(config('one'));
    await untilReady(agent);
    expect(app.told).toEqual(['one']);
    expect(readdirSync(root)).not.toContain('..untold');
  });

  test('another content stays while the application does not run, and is told later', async () => {
    leaveFiles('one');
    await app.stop();
    const { agent } = startAgent();
    source.show(config('two'));
    await untilLater('readiness', () => agent.state().notReady === undefined);
    expect([visible(), isAccepted()]).toEqual(['two', false]);
    expect(agent.state().failure).toBeUndefined();
    await app.start();
    await untilLater('the application to be told', () => app.told.length > 0 && isAccepted());
    expect(app.told).toEqual(['two']);
  });

  test('another content that the application refuses as soon as it runs is taken back', async () => {
    leaveFiles('one');
    await app.stop();
    const { agent } = startAgent();
    source.show(config('bad'));
    await untilLater('readiness', () => agent.state().notReady === undefined);
    await app.start();
    await untilFailed(agent);
    await untilTold('bad', 'one');
    expect(visible()).toBe('one');
  });

  test('a torn set is written anew', async () => {
    leaveFiles('one');
    truncateSync(realpathSync(join(root, 'app.conf')), 0);
    const { agent } = startAgent();
    source.show(config('one'));
    await untilReady(agent);
    expect(app.told).toEqual(['one']);
  });
});
