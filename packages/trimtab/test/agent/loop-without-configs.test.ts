import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  app,
  clock,
  config,
  isAccepted,
  leaveFiles,
  logged,
  messages,
  ref,
  root,
  source,
  startAgent,
  until,
  untilLater,
  untilReady,
  untilTold,
  useAgentStage,
  version,
  visible,
} from './support/agent-stage.ts';

useAgentStage();

describe('a config that is missing', () => {
  test('is waited for', async () => {
    const { agent } = startAgent();
    source.show('missing');
    await until('a report', () => messages().includes('waiting for configs'));
    expect(agent.state()).toMatchObject({
      notReady: 'configmap shop/web does not exist',
      failure: undefined,
    });
    source.show('missing');
    await clock.advance(60_000);
    expect(readdirSync(root)).toEqual([]);
    source.show(config('one'));
    await untilReady(agent);
    expect(app.told).toEqual(['one']);
    expect(messages().filter((message) => message === 'waiting for configs')).toHaveLength(1);
  });

  test('after it was there leaves the files, and tells nobody', async () => {
    const { agent } = startAgent();
    source.show(config('one'));
    await untilReady(agent);
    source.show('missing');
    await until('a report', () => messages().includes('waiting for configs'));
    await clock.advance(60_000);
    expect(agent.state()).toMatchObject({ notReady: undefined, failure: undefined });
    expect(visible()).toBe('one');
    expect(messages()).not.toContain('configs are not available; using the files on disk');
    source.show(config('one'));
    await clock.advance(60_000);
    source.show(config('two'));
    await untilTold('one', 'two');
  });

  test('of two leaves the files of both', async () => {
    const { agent } = startAgent();
    const other = { ...ref, name: 'other' };
    source.show(config('one'), config('x', { other: '1' }, other));
    await untilReady(agent);
    source.show(config('two'), 'missing');
    await clock.advance(60_000);
    expect([visible(), visible('other')]).toEqual(['x', '1']);
    expect(app.told).toEqual(['x']);
  });
});

describe('without the API server', () => {
  const away = { forSeconds: 1, problem: 'watch of configmap shop/web: ECONNREFUSED' };

  test('the files on disk are used after some time, and the application is not told', async () => {
    leaveFiles('one');
    source.problem = away;
    const { agent, registry } = startAgent();
    await clock.advance(2_999);
    expect(agent.state().notReady).toBe(
      'configmap shop/web is not known yet; watch of configmap shop/web: ECONNREFUSED',
    );
    await clock.advance(1);
    await untilReady(agent);
    expect(agent.state()).toMatchObject({ failure: undefined, interruption: away });
    expect(logged.at(-1)).toMatchObject({
      level: 'warn',
      msg: 'configs are not available; using the files on disk',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(registry.render()).toContain(`resource_version="${version}"} 1`);
    expect(app.told).toEqual([]);

    source.problem = undefined;
    source.show(config('two'));
    await untilTold('two');
  });

  test('the same content afterwards tells nobody', async () => {
    leaveFiles('one');
    const { agent } = startAgent();
    await clock.advance(3_000);
    await untilReady(agent);
    source.show(config('one'));
    await clock.advance(60_000);
    source.show(config('two'));
    await untilTold('two');
  });

  test('a set that was not accepted is taken back, and the application is told', async () => {
    leaveFiles('one', 'two');
    const { agent } = startAgent();
    await clock.advance(3_000);
    await untilReady(agent);
    expect(app.told).toEqual(['one']);
    expect([visible(), isAccepted()]).toEqual(['one', true]);
  });

  test('an application that could not be told about the files is told when the API server is back', async () => {
    leaveFiles('one', 'two');
    await app.stop();
    const { agent } = startAgent();
    await untilLater('readiness', () => agent.state().notReady === undefined);
    await app.start();
    source.show(config('one'));
    await untilTold('one');
  });

  test('a set that was never accepted is used when there is no other', async () => {
    leaveFiles(undefined, 'one');
    const { agent } = startAgent();
    await clock.advance(3_000);
    await untilReady(agent);
    expect(visible()).toBe('one');
    source.show(config('one'));
    await untilTold('one');
  });

  test('and without files the agent is not ready', async () => {
    source.problem = away;
    const { agent } = startAgent();
    await clock.advance(3_600_000);
    expect(agent.state()).toMatchObject({
      notReady: 'configmap shop/web is not known yet; watch of configmap shop/web: ECONNREFUSED',
      failure: undefined,
    });
  });
});
