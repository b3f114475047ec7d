declare global {
  interface ImportMeta {
    /** Set by the build (`scripts/setup/server.mjs`): the folder of the bundle. Absent where the sources run. */
    readonly bundleFolder?: string
  }
}

/** Folder of the bundle that this thread runs from; undefined where it runs the sources. */
export const bundleFolder: string | undefined = import.meta.bundleFolder
