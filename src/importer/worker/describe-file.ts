import { stat } from 'node:fs/promises'
import { explain } from '../../core/errors/errors.ts'
import { detectFormat, nameUnread } from '../../formats/registry.ts'
import { type DataFile, FormatError } from '../../formats/worker.ts'
import type { DescribedFile } from '../model/model.ts'
import { withExamples } from './coordinate-examples.ts'

async function isEmptyFile(path: string): Promise<boolean> {
  const status = await stat(path)
  return status.isFile() && status.size === 0
}

async function describeUnread(file: DataFile): Promise<DescribedFile> {
  const looksLike = await nameUnread(file)
  const isEmpty = await isEmptyFile(file.path)
  return { file, layers: [], isEmpty, looksLike }
}

/** Returns format and contents of a file. For a broken file of a known format `error` gives the reason. */
export async function describeFile(
  file: DataFile,
  charset: string | undefined,
  signal: AbortSignal,
): Promise<DescribedFile> {
  const format = await detectFormat(file, signal)
  if (format === undefined) return describeUnread(file)
  const { name, kind, canServeDirectly } = format
  const described = { file, format: { name, kind, canServeDirectly } }
  try {
    const context = { signal, charset }
    const found = await format.describe(file, context)
    const layers = await withExamples(found, (layer) => format.read(file, layer, context), signal)
    for (const layer of layers) {
      const delimiter = await format.findDelimiter?.(file, layer, context)
      if (delimiter !== undefined) layer.delimiter = delimiter
    }
    return layers.length > 0
      ? { ...described, layers }
      : { ...described, layers, error: 'It contains no layer' }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof FormatError)) throw error
    if (error.code === 'gdal-missing') return { file, layers: [], error: explain(error) }
    return { ...described, layers: [], error: explain(error) }
  }
}
