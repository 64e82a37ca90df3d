/**
 * Cases that hold on Kubernetes and not yet on the local API server, as the tally names them. They run, and must fail:
 * one that begins to hold fails the run until it is taken off this list, which is to become empty.
 */
export const pendingOnLocal: ReadonlySet<string> = new Set([
  'ConfigMaps and Secrets: keys come in order',
  'JSON and merge patches: a patch of the kind is refused',
  'bad input: a body in YAML with a list is refused',
  'bad input: a body that is bytes that are no text is refused',
  'field validation: Strict refuses duplicate fields in YAML',
  'representations: answers are compressed for who asks for it, when they are large',
  'representations: who accepts nothing that the server knows is told what it knows',
  'rules of pods: a negative grace period is one second',
  'rules of pods: a pod with a key path that leaves its volume is refused',
  'rules of pods: a pod with a toleration with an operator that is none is refused',
  'rules of pods: a variable that is set twice is taken with a warning',
  'status and scale: an invalid status is refused',
  'strategic merge patches: a strategic patch with two sources of one volume is refused',
  'tables: a table is a table in all its fields',
  'tables: a version of tables that is none is not acceptable',
  'watches: a watch with a continue token is refused',
  'watches: the old path of watches works',
  'watches: the old path of watches works for one object',
]);
