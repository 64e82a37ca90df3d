import type { VersionWriter } from '../version-writer.ts';

/** Shared by all writes of one request. The client uses the caller's credentials. */
export interface WriteContext extends Omit<VersionWriter, 'signal'> {
  /** The caller's user name, as the API server reports it. */
  by: string;
}
