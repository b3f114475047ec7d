import type { Filter } from '../../filters/filter.ts'

/** A filter of a question as the client gave it. */
export interface WishedFilter {
  /** In the names of the table's columns. */
  asked: Filter
  /** What the coordinates of its geometries are in, with x or easting first. */
  srs: string
}
