import type { DataFile, RasterDescription } from '../../formats/format.ts'
import type { Envelope } from '../../geo/envelope.ts'

/** Where the times of granules come from. */
export const timeModes = ['auto', 'filename', 'manual', 'none'] as const
type TimeMode = (typeof timeModes)[number]

export interface MosaicTime {
  mode: TimeMode
  /** A regular expression of ECMAScript; its groups, or else the whole match, are the time's text. */
  pattern?: string
  /** A pattern of SimpleDateFormat; without one the text is ISO 8601 or its forms without separators. */
  format?: string
}

/** Corners of a raster in its CRS, in the order of a ring: upper left, lower left, lower right, upper right. */
export type Corners = readonly (readonly [number, number])[]

/** One file of a mosaic. */
export interface GranuleRecord {
  importId: number
  taskId: number
  /** The file's id: its path below the data folder. */
  fileId: string
  file: DataFile
  sizeBytes: number
  /** Absent where nothing reads the file. */
  format?: string
  /** What the file says of itself, where it could be read; of mosaics whose granules agree. */
  raster?: RasterDescription
  /** Matched authority code of its CRS. */
  srs?: string
  envelope?: Envelope
  /** Milliseconds since 1970 in UTC. */
  timeMs?: number
  /** Why there is no time, where one was looked for. */
  timeFault?: string
  /** Why the file cannot be a granule of this mosaic. */
  fault?: GranuleFault
}

export interface GranuleFault {
  code: 'unreadable' | 'other-format' | 'no-extent' | 'other-crs' | 'other-bands'
  reason: string
}

/** What a task keeps of its granules; they stand in a table of their own. */
export interface MosaicTask {
  time: MosaicTime
  granules: number
  /** Granules that cannot take part; the task waits until they are deleted or mended. */
  faults: number
  /** Granules without extent among those. */
  withoutExtent: number
  /** Says which granules are faulty and why, where some are. */
  reason?: string
}
