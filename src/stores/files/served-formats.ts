import { flatgeobuf } from '../../formats/flatgeobuf/flatgeobuf.ts'
import type { Format } from '../../formats/format.ts'
import { shapefile } from '../../formats/shapefile/shapefile.ts'
import type { StoreType } from '../store.ts'

/** Formats whose files are served as they are, by an index; one line for each. */
const servedFormats: Partial<Record<StoreType, Format>> = { Shapefile: shapefile, FlatGeobuf: flatgeobuf }

/** The format of a store that is a file served as it is; undefined for any other store. */
export function findServedFormat(type: string): Format | undefined {
  return Object.hasOwn(servedFormats, type) ? servedFormats[type as StoreType] : undefined
}
