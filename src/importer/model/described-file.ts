import type { DataFile, LayerDescription } from '../../formats/format.ts'

/** A file as its format sees it. Plain data: it crosses threads. */
export interface DescribedFile {
  file: DataFile
  /** Absent when nothing reads the file. */
  format?: { name: string; kind: 'vector' | 'raster'; canServeDirectly: boolean }
  layers: LayerDescription[]
  /** Of a file that nothing reads: it has no bytes. */
  isEmpty?: boolean
  /** Of a file that nothing reads: what it begins like, in words. */
  looksLike?: string
  /** Why a file of a known format cannot be read, or what has to be installed to read one. */
  error?: string
}
