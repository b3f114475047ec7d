import type { FeatureBatch } from '../../geo/batch.ts'
import type { DataFile, LayerDescription, ReadContext } from '../format.ts'
import { findXmlCharset } from './charset.ts'
import { XmlRowReader } from './row-reader.ts'
import type { FormatField } from './row-survey.ts'
import type { ElementHandler } from './walk-elements.ts'
import { walkElements } from './walk-elements.ts'
import { XmlSource } from './xml-source.ts'

/** Fields of a format, and the walker that finds its rows. */
export interface XmlRows {
  fields: readonly FormatField[]
  walker(source: XmlSource, reader: XmlRowReader): ElementHandler
}

/** Streams one layer of an XML file. */
export async function* readXmlRows(
  file: DataFile,
  layer: LayerDescription,
  context: ReadContext,
  { fields, walker }: XmlRows,
): AsyncGenerator<FeatureBatch> {
  const charset = layer.charset ?? (await findXmlCharset(file.path, context)).name
  const source = await XmlSource.open(file.path, charset, context.signal)
  try {
    const reader = new XmlRowReader(layer.schema, fields)
    for await (const _ of walkElements(source, walker(source, reader))) {
      yield reader.takeBatch()
      context.signal.throwIfAborted()
    }
    if (!reader.isEmpty) yield reader.takeBatch()
  } finally {
    await source.close()
  }
}
