/**
 * Packages of a folder in their order: each imports only from itself and from those before it. A package is a
 * sub-folder, a listed file, `'.'` for the other files of the folder, or `'*'` for its other sub-folders: the
 * entries of an extension point. Those, and packages in brackets, must not import each other.
 */
export type ModuleOrder = readonly (string | readonly string[])[]

export interface ModuleRules {
  /** Folder -> its packages. */
  modules: Record<string, ModuleOrder>
  /**
   * Folder -> its files that other folders may import. All files of a folder without an entry are public. A name has one
   * entry point: `index.ts` does not export it if another listed file does. Those exist because a process that runs from
   * the sources loads everything behind an `index.ts`: worker threads and child processes, which start often, would
   * load up to ten times the code. The bundle has no such cost (`scripts/setup/direct-imports.mjs`).
   */
  entryPoints: Record<string, readonly string[]>
  /** Folder -> folders that it must not import although they come before it. */
  forbidden: Record<string, readonly string[]>
  /**
   * Folders with sub-folders without an order so far. A folder with an order is removed from this list; no
   * folder may be added.
   */
  unordered: readonly string[]
  /** Folders of `src/` without `index.ts`; no folder may be added without a measured reason. */
  withoutIndex: readonly string[]
}
