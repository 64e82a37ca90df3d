/** How a mutating plugin takes part in the second pass over all mutating plugins of a request. */
export interface SecondPass {
  /** Demands the second pass, because the plugin has changed the object. */
  require(): void;
  /** If there is a second pass, it calls `again` in place of the plugin's `mutate`. */
  instead(again: () => Promise<void>): void;
}

/** For the second pass itself: there is no third. */
export const noFurtherPass: SecondPass = { require() {}, instead() {} };
