import type { DataFile, RasterDescription } from '../../formats/worker.ts'
import type { Envelope } from '../../geo/envelope.ts'

/** Sources of the times of granules. */
export const timeModes = ['auto', 'filename', 'manual', 'none'] as const
type TimeMode = (typeof timeModes)[number]

export interface MosaicTime {
  mode: TimeMode
  /** An ECMAScript regular expression; its groups, or else the whole match, are the text of the time. */
  pattern?: string
  /** A SimpleDateFormat pattern; without one the text is ISO 8601, or its basic format without separators. */
  format?: string
}

/** Corners of a raster in its CRS, in the order of a ring: upper left, lower left, lower right, upper right. */
export type Corners = readonly (readonly [number, number])[]

/** One file of a mosaic. */
export interface GranuleRecord {
  importId: number
  taskId: number
  /** File id: path below the data folder. */
  fileId: string
  file: DataFile
  sizeBytes: number
  /** Absent if no format reads the file. */
  format?: string
  /** Description from the file, if readable; only for mosaics whose granules agree. */
  raster?: RasterDescription
  /** Authority code of its CRS. */
  srs?: string
  envelope?: Envelope
  /** Milliseconds since 1970 in UTC. */
  timeMs?: number
  /** Why no time was derived, if the mode derives times. */
  timeFault?: string
  /** Why the file cannot be a granule of this mosaic. */
  fault?: GranuleFault
}

export interface GranuleFault {
  code: 'unreadable' | 'other-format' | 'no-extent' | 'other-crs' | 'other-bands'
  reason: string
}

/** Mosaic part of a task record; the granules are in a table of their own. */
export interface MosaicTask {
  time: MosaicTime
  granules: number
  /** Number of granules with errors; the task cannot run until they are deleted or corrected. */
  faults: number
  /** Number of these without an extent. */
  withoutExtent: number
  /** Names the granules with errors and the reasons, if there are any. */
  reason?: string
}
