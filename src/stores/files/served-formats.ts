import { type Format, flatgeobuf, shapefile } from '../../formats/worker.ts'

/** Formats whose files are served directly, by an index; one line for each. */
export const servedFormats: readonly Format[] = [shapefile, flatgeobuf]

/** Returns the format of a store that is a file served directly; undefined for any other store. */
export function findServedFormat(type: string): Format | undefined {
  return servedFormats.find(({ name }) => name === type)
}
