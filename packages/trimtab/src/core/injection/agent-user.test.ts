import { describe, expect, test } from 'vitest';
import type { Container, PodTemplate } from '../../api/pod-template.ts';
import { agentUser } from './agent-user.ts';

const container = (runAsUser?: number, runAsNonRoot?: boolean): Container => ({
  name: `user-${runAsUser ?? 'of-image'}`,
  securityContext: { ...(runAsUser !== undefined && { runAsUser }), ...(runAsNonRoot && { runAsNonRoot }) },
});
const pod = (securityContext = {}): PodTemplate => ({ spec: { securityContext } });

describe('with signals', () => {
  test('the agent has the user of the containers that it signals', () => {
    expect(agentUser(pod(), [container(1000), container(1000)], [])).toEqual({
      user: 1000,
      kill: false,
      warnings: [],
    });
    expect(
      agentUser(pod({ runAsUser: 7, runAsNonRoot: true }), [container(), container(7)], []),
    ).toMatchObject({
      user: 7,
      kill: false,
    });
  });

  test('root signals root without a capability', () => {
    expect(agentUser(pod({ runAsUser: 0 }), [container()], [])).toMatchObject({ user: 0, kill: false });
  });

  test.each([
    ['unknown', [container()]],
    ['different', [container(1), container(2)]],
    ['partly unknown', [container(1), container()]],
  ])('users that are %s need CAP_KILL', (_, containers) => {
    expect(agentUser(pod(), containers, [])).toEqual({ user: 0, kill: true, warnings: [] });
  });

  test.each([
    ['the pod', pod({ runAsNonRoot: true }), [container(1), container()]],
    ['a container', pod(), [container(1), container(undefined, true)]],
  ])(
    'when %s must not be root, the agent is not root, and a warning names the field',
    (_, its, containers) => {
      expect(agentUser(its, containers, [])).toEqual({
        user: 65_532,
        kill: false,
        warnings: [
          expect.stringMatching(/set securityContext\.runAsUser .* containers "user-1", "user-of-image"/),
        ],
      });
    },
  );
});

describe('without signals', () => {
  test('the agent has the user of the containers that read its files', () => {
    expect(agentUser(pod({ runAsUser: 5 }), [], [container(), container(5)])).toMatchObject({ user: 5 });
  });

  test('otherwise it has a user without rights', () => {
    const withoutRights = { user: 65_532, kill: false, warnings: [] };
    expect(agentUser(pod(), [], [container(1), container(2)])).toEqual(withoutRights);
    expect(agentUser(pod(), [], [container()])).toEqual(withoutRights);
    expect(agentUser(pod(), [], [])).toEqual(withoutRights);
  });
});
