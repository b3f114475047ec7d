import type { DataFile, LayerDescription } from '../../formats/format.ts'

/** A file as described by its format. Plain data: it is passed between threads. */
export interface DescribedFile {
  file: DataFile
  /** Absent if no format reads the file. */
  format?: { name: string; kind: 'vector' | 'raster'; canServeDirectly: boolean }
  layers: LayerDescription[]
  /** True for an unreadable file without content. */
  isEmpty?: boolean
  /** Description of what the content of an unreadable file resembles. */
  looksLike?: string
  /** Why a file of a known format cannot be read, or which program must be installed to read the file. */
  error?: string
}
