import type { Container } from '../../api/pod-template.ts';

/** Linux does not start a program with a longer variable (MAX_ARG_STRLEN), name and terminator included. */
const maxBytes = 131_072;

/** The pod names so many keys that the agent would not start. */
export function tooLong({ env }: Container): string[] {
  return (env ?? [])
    .filter(({ name, value }) => Buffer.byteLength(`${name}=${value ?? ''}`) + 1 > maxBytes)
    .map(
      ({ name }) =>
        `The description of the pod's volumes is too long for an environment variable of the agent (${name}): mount whole configs instead of single keys`,
    );
}
